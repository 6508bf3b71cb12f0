#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <evencube/workloads/picture.hpp>

#include "byte_stream.hpp"

namespace evencube::workloads {

/// Whether the bytes begin as a PNG file does.
[[nodiscard]] bool is_png(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes a PNG; throws image_error beginning with `name`. Nothing behind the picture is read.
[[nodiscard]] grey16 decode_png(byte_stream& bytes, std::uint64_t most_pixels,
                                const std::string& name);

}  // namespace evencube::workloads
