#include <algorithm>

#include <evencube/workloads/city_picture.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

std::uint16_t grey(std::uint32_t value8) { return static_cast<std::uint16_t>(value8 * 257); }

/// A gradient so gentle that no two neighbours differ by an edge's worth.
void paint_sky(grey16& picture) {
  for (std::uint32_t y = 0; y < picture.height(); ++y) {
    const auto light =
        24000 + static_cast<std::uint32_t>(std::uint64_t{24000} * y / picture.height());
    std::ranges::fill(picture.row(y), static_cast<std::uint16_t>(light));
  }
}

void fill(grey16& picture, pixel_rectangle area, std::uint16_t value) {
  area.right = std::min(area.right, picture.width());
  area.bottom = std::min(area.bottom, picture.height());
  for (auto y = area.top; y < area.bottom; ++y) {
    for (auto x = area.left; x < area.right; ++x) picture.row(y)[x] = value;
  }
}

/// A tower with rows of windows, some of them lit.
void paint_tower(grey16& picture, const pixel_rectangle& tower, random_stream& random) {
  const auto wall = random.between(20, 90);
  fill(picture, tower, grey(wall));
  const auto window = random.between(3, 6);
  const auto gap = random.between(2, 5);
  for (auto y = tower.top + gap; y + window + gap <= tower.bottom; y += window + gap) {
    for (auto x = tower.left + gap; x + window + gap <= tower.right; x += window + gap) {
      const bool lit = random.between(0, 2) == 0;
      fill(picture, {x, y, x + window, y + window},
           grey(lit ? random.between(180, 250) : wall / 2));
    }
  }
}

/// A dark cable between two points at the sides of the city, one to three pixels thick.
void paint_cable(grey16& picture, std::uint32_t left, std::uint32_t top, random_stream& random) {
  const auto height = picture.height() - top;
  const std::int64_t start = random.between(0, height - 1);
  const std::int64_t end = random.between(0, height - 1);
  const std::int64_t length = std::max<std::int64_t>(picture.width() - left, 1);
  const auto thickness = random.between(1, 3);
  for (auto x = left; x < picture.width(); ++x) {
    const auto fall = (end - start) * static_cast<std::int64_t>(x - left) / length;
    const auto y = top + static_cast<std::uint32_t>(start + fall);
    fill(picture, {x, y, x + 1, y + thickness}, grey(8));
  }
}

}  // namespace

grey16 make_city_picture(std::uint32_t width, std::uint32_t height, std::uint64_t seed) {
  grey16 picture{width, height};
  paint_sky(picture);
  random_stream random{seed};
  const auto left = width / 2;
  const auto top = height / 2;
  // The farther towers first: the nearer ones, lower down, stand in front of them.
  for (std::uint32_t depth = 0; depth < 3; ++depth) {
    const auto roofs = top + (height - top) * depth / 4;
    for (auto x = left; x < width;) {
      const auto breadth = random.between(24, 120);
      const auto roof = roofs + random.between(0, std::max((height - top) / 3, 1U));
      paint_tower(picture, {x, roof, x + breadth, height}, random);
      x += breadth + random.between(0, 24);
    }
  }
  for (std::uint32_t cable = 0; cable < 8; ++cable) paint_cable(picture, left, top, random);
  return picture;
}

}  // namespace evencube::workloads
