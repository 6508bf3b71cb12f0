#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <evencube/workloads/picture.hpp>

#include "byte_stream.hpp"

namespace evencube::workloads {

/// Whether the bytes begin as a PGM or PPM file does (P2, P3, P5 or P6 and white space).
[[nodiscard]] bool is_pnm(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes the first picture of a PGM or PPM; throws image_error beginning with `name`. Nothing
/// behind the picture is read.
[[nodiscard]] grey16 decode_pnm(byte_stream& bytes, std::uint64_t most_pixels,
                                const std::string& name);

}  // namespace evencube::workloads
