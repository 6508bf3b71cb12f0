#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// Whether the bytes begin as a PNG file does.
[[nodiscard]] bool is_png(std::span<const std::uint8_t> bytes) noexcept;

/// Decodes a whole PNG; throws image_error beginning with `name`.
[[nodiscard]] grey16 decode_png(std::span<const std::uint8_t> bytes, const std::string& name);

}  // namespace evencube::workloads
