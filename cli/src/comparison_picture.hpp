#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <evencube/workloads/image_file.hpp>

#include "comparison.hpp"

namespace evencube::cli {

/// The tables as a heat map: the darker, the further from the best strategy of the column. Blocks
/// of program and machine below each other; forecasts have their number of workers starred.
[[nodiscard]] std::string heat_map_svg(const comparison& made);

struct pixel_picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<workloads::rgb8> pixels;
};

/// The same as pixels, two for each unit of the other, or one where it has many figures.
[[nodiscard]] pixel_picture heat_map_pixels(const comparison& made);

/// No more figures are drawn as pixels: they take some 150 MB.
inline constexpr std::size_t most_figures_in_pixels = 40000;

}  // namespace evencube::cli
