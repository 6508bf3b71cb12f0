#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {

enum class png_colour { grey, rgb };

/// Encodes an 8-bit PNG in memory. `fill_row(y, row)` is called for y = 0 .. height - 1 and writes
/// the row's samples (width of them, or 3 x width). Throws std::runtime_error when libpng fails.
[[nodiscard]] std::vector<std::uint8_t> encode_png(
    std::uint32_t width, std::uint32_t height, png_colour colour,
    const std::function<void(std::uint32_t, std::span<std::uint8_t>)>& fill_row);

/// The same of colours, row by row: width x height of them.
[[nodiscard]] std::vector<std::uint8_t> encode_png(std::uint32_t width, std::uint32_t height,
                                                   std::span<const rgb8> pixels);

}  // namespace evencube::workloads
