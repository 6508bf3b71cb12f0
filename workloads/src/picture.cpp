#include <algorithm>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

std::string picture_size_problem(std::uint64_t width, std::uint64_t height) {
  const auto size = std::to_string(width) + " x " + std::to_string(height);
  if (width == 0 || height == 0) return "is " + size + " pixels: there is nothing in it";
  if (width > max_picture_side || height > max_picture_side) {
    return "is " + size + " pixels: a side may have at most " + std::to_string(max_picture_side);
  }
  if (width * height > max_picture_pixels) {
    return "is " + size + " = " + std::to_string(width * height) + " pixels: at most " +
           std::to_string(max_picture_pixels) + " are allowed";
  }
  return {};
}

std::vector<pixel_rectangle> cut_into_tiles(std::uint32_t width, std::uint32_t height,
                                            std::uint32_t side) {
  if (side == 0) throw std::invalid_argument{"tile side 0: at least 1 pixel is needed"};
  std::vector<pixel_rectangle> tiles;
  for (std::uint32_t top = 0; top < height; top += std::min(side, height - top)) {
    const auto bottom = top + std::min(side, height - top);
    for (std::uint32_t left = 0; left < width; left += std::min(side, width - left)) {
      tiles.push_back({left, top, left + std::min(side, width - left), bottom});
    }
  }
  return tiles;
}

}  // namespace evencube::workloads
