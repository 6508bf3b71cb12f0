// The edge detector against the definition written out pixel by pixel.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include <evencube/workloads/sobel.hpp>

namespace evencube::workloads {
namespace {

grey16 noise_picture(std::uint32_t width, std::uint32_t height, std::uint32_t coarseness) {
  grey16 picture{width, height};
  std::uint32_t state = 12345;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (auto& sample : picture.row(y)) {
      state = state * 1664525U + 1013904223U;
      sample = static_cast<std::uint16_t>((state >> 16) / coarseness + 30000 / coarseness);
    }
  }
  return picture;
}

/// floor(sqrt(value)), by bisection on integers.
std::int64_t integer_root(std::int64_t value) {
  std::int64_t low = 0;
  std::int64_t high = 1 << 20;
  while (high - low > 1) {
    const auto middle = (low + high) / 2;
    (middle * middle <= value ? low : high) = middle;
  }
  return low;
}

std::uint8_t defined_magnitude(const grey16& picture, std::int64_t x, std::int64_t y) {
  const auto at = [&](std::int64_t column, std::int64_t row) {
    const auto cx = std::clamp<std::int64_t>(column, 0, picture.width() - 1);
    const auto cy = std::clamp<std::int64_t>(row, 0, picture.height() - 1);
    return std::int64_t{picture.row(static_cast<std::uint32_t>(cy))[static_cast<std::size_t>(cx)]};
  };
  constexpr int weights[3] = {1, 2, 1};
  std::int64_t across = 0;
  std::int64_t down = 0;
  for (int step = -1; step <= 1; ++step) {
    across += weights[step + 1] * (at(x + 1, y + step) - at(x - 1, y + step));
    down += weights[step + 1] * (at(x + step, y + 1) - at(x + step, y - 1));
  }
  const auto root = integer_root(across * across + down * down);
  return static_cast<std::uint8_t>(std::min<std::int64_t>(root / 257, 255));
}

struct shape {
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t tile;

  friend void PrintTo(const shape& one, std::ostream* out) {
    *out << one.width << " x " << one.height << " by " << one.tile;
  }
};

class sobel_shapes : public ::testing::TestWithParam<shape> {};

TEST_P(sobel_shapes, every_pixel_is_as_defined) {
  const auto& [width, height, side] = GetParam();
  for (const std::uint32_t coarseness : {1U, 13U, 900U}) {
    const auto picture = noise_picture(width, height, coarseness);
    grey8 edges{width, height};
    std::uint32_t counted = 0;
    for (const auto& tile : cut_into_tiles(width, height, side)) {
      counted += sobel_tile(picture, tile, 100, edges);
    }
    std::uint32_t expected_count = 0;
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto expected = defined_magnitude(picture, x, y);
        expected_count += expected >= 100 ? 1 : 0;
        ASSERT_EQ(edges.row(y)[x], expected) << x << ", " << y << " / " << coarseness;
      }
    }
    EXPECT_EQ(counted, expected_count);
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, sobel_shapes,
                         ::testing::Values(shape{1, 1, 1}, shape{1, 7, 3}, shape{7, 1, 3},
                                           shape{2, 2, 1}, shape{64, 48, 16}, shape{65, 50, 16},
                                           shape{65, 50, 1}, shape{65, 50, 1000}));

TEST(sobel, a_step_in_8_bit_grey_has_four_times_its_height) {
  grey16 picture{10, 10};
  for (std::uint32_t y = 0; y < 10; ++y) {
    std::fill(picture.row(y).begin() + 5, picture.row(y).end(),
              static_cast<std::uint16_t>(20 * 257));
  }
  grey8 edges{10, 10};
  EXPECT_EQ(sobel_tile(picture, {0, 0, 10, 10}, 80, edges), 20U);
  EXPECT_EQ(edges.row(3)[3], 0);
  EXPECT_EQ(edges.row(3)[4], 80);
  EXPECT_EQ(edges.row(3)[5], 80);
  EXPECT_EQ(edges.row(3)[6], 0);
}

TEST(sobel, a_tile_touches_nothing_outside_itself) {
  const auto picture = noise_picture(32, 32, 1);
  grey8 edges{32, 32};
  for (std::uint32_t y = 0; y < 32; ++y) {
    std::ranges::fill(edges.row(y), std::uint8_t{7});
  }
  sobel_tile(picture, {8, 8, 16, 16}, 0, edges);
  for (std::uint32_t y = 0; y < 32; ++y) {
    for (std::uint32_t x = 0; x < 32; ++x) {
      if (x < 8 || x >= 16 || y < 8 || y >= 16) {
        ASSERT_EQ(edges.row(y)[x], 7);
      }
    }
  }
}

TEST(tiles, cover_every_pixel_once) {
  for (const auto& [width, height, side] : {shape{1, 1, 5}, shape{100, 37, 16}, shape{64, 64, 64},
                                            shape{5, 9, 1}, shape{9, 5, 0xffffffff}}) {
    std::vector<int> hits(std::size_t{width} * height);
    for (const auto& tile : cut_into_tiles(width, height, side)) {
      EXPECT_LE(tile.right - tile.left, side);
      for (auto y = tile.top; y < tile.bottom; ++y) {
        for (auto x = tile.left; x < tile.right; ++x) {
          ++hits.at(std::size_t{y} * width + x);
        }
      }
    }
    EXPECT_TRUE(std::ranges::all_of(hits, [](int count) { return count == 1; }));
  }
  EXPECT_THROW(static_cast<void>(cut_into_tiles(3, 3, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::workloads
