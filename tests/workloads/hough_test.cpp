// Voting, picking and drawing of lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

#include <evencube/workloads/hough.hpp>

namespace evencube::workloads {
namespace {

grey8 noise_edges(std::uint32_t width, std::uint32_t height) {
  grey8 edges{width, height};
  std::uint32_t state = 99;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (auto& value : edges.row(y)) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<std::uint8_t>(state >> 24);
    }
  }
  return edges;
}

/// The Hough transform of the whole picture, straight from its definition in floating point, but
/// for pixels whose distance is so near a boundary that fixed point may round the other way.
TEST(line_voting, agrees_with_the_definition) {
  constexpr std::uint32_t width = 90;
  constexpr std::uint32_t height = 70;
  const auto edges = noise_edges(width, height);
  line_space space{width, height};
  voting_scratch scratch;
  vote_tile(edges, {0, 0, width, height}, 200, space, scratch);
  std::uint64_t disputed = 0;
  for (std::uint32_t angle = 0; angle < 180; ++angle) {
    std::vector<std::uint32_t> least(space.votes(angle).size());
    std::vector<std::uint32_t> most(space.votes(angle).size());
    const double radians = angle * std::numbers::pi / 180;
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        if (edges.row(y)[x] < 200) {
          continue;
        }
        const double distance = x * std::cos(radians) + y * std::sin(radians);
        const auto low = std::lround(distance - 0.002);
        const auto high = std::lround(distance + 0.002);
        const auto slot = [&](long at) {
          return static_cast<std::size_t>(at + space.max_distance());
        };
        ++most[slot(low)];
        if (low == high) {
          ++least[slot(low)];
        } else {
          ++most[slot(high)];
          ++disputed;
        }
      }
    }
    for (std::size_t at = 0; at < least.size(); ++at) {
      ASSERT_GE(space.votes(angle)[at], least[at]) << "angle " << angle;
      ASSERT_LE(space.votes(angle)[at], most[at]) << "angle " << angle;
    }
  }
  const auto edge_pixels = static_cast<std::uint64_t>(
      std::ranges::count_if(edges.samples(), [](std::uint8_t value) { return value >= 200; }));
  EXPECT_LT(disputed, edge_pixels * 180 / 20);
}

TEST(line_voting, does_not_depend_on_the_tiles_or_on_the_threads) {
  constexpr std::uint32_t width = 203;
  constexpr std::uint32_t height = 150;
  const auto edges = noise_edges(width, height);
  voting_scratch scratch;
  line_space whole{width, height};
  vote_tile(edges, {0, 0, width, height}, 220, whole, scratch);
  for (const std::uint32_t side : {1U, 17U, 64U}) {
    line_space tiled{width, height};
    for (const auto& tile : cut_into_tiles(width, height, side)) {
      vote_tile(edges, tile, 220, tiled, scratch);
    }
    EXPECT_TRUE(tiled == whole) << "tiles of " << side;
  }
  line_space shared{width, height};
  const auto tiles = cut_into_tiles(width, height, 32);
  const auto work = [&](std::size_t first) {
    voting_scratch own;
    for (auto at = first; at < tiles.size(); at += 2) {
      vote_tile_concurrently(edges, tiles[at], 220, shared, own);
    }
  };
  std::thread other{work, 1};
  work(0);
  other.join();
  EXPECT_TRUE(shared == whole);
}

TEST(line_voting, every_edge_pixel_votes_once_per_angle) {
  const auto edges = noise_edges(100, 40);
  line_space space{100, 40};
  voting_scratch scratch;
  vote_tile(edges, {10, 5, 90, 35}, 128, space, scratch);
  std::uint32_t pixels = 0;
  for (std::uint32_t y = 5; y < 35; ++y) {
    for (std::uint32_t x = 10; x < 90; ++x) {
      pixels += edges.row(y)[x] >= 128 ? 1U : 0U;
    }
  }
  for (std::uint32_t angle = 0; angle < 180; ++angle) {
    std::uint32_t sum = 0;
    for (const auto votes : space.votes(angle)) {
      sum += votes;
    }
    EXPECT_EQ(sum, pixels);
  }
  space.clear();
  EXPECT_TRUE((space == line_space{100, 40}));
}

std::vector<picture_line> lines_of(const grey8& edges, std::uint32_t count) {
  line_space space{edges.width(), edges.height()};
  voting_scratch scratch;
  vote_tile(edges, {0, 0, edges.width(), edges.height()}, 1, space, scratch);
  return strongest_lines(space, edges.width(), edges.height(), count);
}

/// Marks the pixels of a line by rounding its equation, independently of draw_line.
void mark(grey8& edges, std::uint32_t angle, double distance) {
  const double radians = angle * std::numbers::pi / 180;
  for (std::uint32_t y = 0; y < edges.height(); ++y) {
    for (std::uint32_t x = 0; x < edges.width(); ++x) {
      if (std::abs(x * std::cos(radians) + y * std::sin(radians) - distance) <= 0.5) {
        edges.row(y)[x] = 255;
      }
    }
  }
}

TEST(line_picking, finds_the_lines_that_were_drawn) {
  grey8 edges{300, 200};
  mark(edges, 0, 250);  // upright at x = 250
  mark(edges, 90, 60);  // level at y = 60
  mark(edges, 45, 150);
  mark(edges, 120, -40);
  const auto lines = lines_of(edges, 4);
  ASSERT_EQ(lines.size(), 4U);
  const auto found = [&](std::uint32_t angle, std::int32_t distance) {
    return std::ranges::any_of(lines, [&](const picture_line& line) {
      return line.angle == angle && std::abs(line.distance - distance) <= 1;
    });
  };
  EXPECT_TRUE(found(0, 250));
  EXPECT_TRUE(found(90, 60));
  EXPECT_TRUE(found(45, 150));
  EXPECT_TRUE(found(120, -40));
  EXPECT_EQ(lines.front().angle, 90U);  // the longest
  EXPECT_EQ(lines.front().votes, 300U);
}

TEST(line_picking, neighbours_of_a_stronger_line_are_dropped_also_across_180_degrees) {
  grey8 edges{400, 400};
  mark(edges, 0, 100);
  for (const auto& line : lines_of(edges, 20)) {
    const bool same = line.angle <= 4 && std::abs(line.distance - 100) <= 8;
    const bool turned = line.angle >= 176 && std::abs(line.distance + 100) <= 8;
    const bool first = line.angle == 0 && line.distance == 100;
    EXPECT_TRUE(first || (!same && !turned)) << line.angle << " at " << line.distance;
  }
}

TEST(line_picking, among_equals_the_smaller_angle_then_the_smaller_distance_wins) {
  line_space space{400, 400};
  const auto set = [&](std::uint32_t angle, std::int32_t distance, std::uint32_t votes) {
    space.votes(angle)[static_cast<std::size_t>(distance + space.max_distance())] = votes;
  };
  set(90, 10, 100);
  set(30, 200, 100);
  set(30, 50, 100);
  set(60, 0, 101);
  set(120, 0, 39);  // a tenth of the side is 40
  EXPECT_THAT(strongest_lines(space, 400, 400, 10),
              ::testing::ElementsAre(picture_line{60, 0, 101}, picture_line{30, 50, 100},
                                     picture_line{30, 200, 100}, picture_line{90, 10, 100}));
  EXPECT_THAT(strongest_lines(space, 400, 400, 2),
              ::testing::ElementsAre(picture_line{60, 0, 101}, picture_line{30, 50, 100}));
  EXPECT_TRUE(strongest_lines(space, 400, 400, 0).empty());
}

TEST(line_picking, an_empty_picture_has_no_lines) {
  EXPECT_TRUE(lines_of(grey8{50, 50}, 10).empty());
}

TEST(line_drawing, stays_on_the_line_and_has_no_gaps) {
  constexpr std::uint32_t width = 120;
  constexpr std::uint32_t height = 90;
  for (std::uint32_t angle = 0; angle < 180; ++angle) {
    for (const std::int32_t distance : {-60, 0, 1, 40, 75, 149}) {
      std::vector<std::uint8_t> paint(width * height);
      draw_line({angle, distance, 1}, width, height, 1, paint);
      const double radians = angle * std::numbers::pi / 180;
      const double cosine = std::cos(radians);
      const double sine = std::sin(radians);
      for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
          const double away = std::abs(x * cosine + y * sine - distance);
          // A pixel within half the smaller step of the line must be there; none farther than that.
          const double reach = 0.5 * std::max(std::abs(cosine), std::abs(sine));
          if (away < reach - 0.01) {
            ASSERT_EQ(paint[y * width + x], 1) << angle << " at " << distance;
          } else if (away > reach + 0.01) {
            ASSERT_EQ(paint[y * width + x], 0) << angle << " at " << distance;
          }
        }
      }
    }
  }
}

TEST(line_drawing, a_thick_line_is_as_wide_as_asked) {
  std::vector<std::uint8_t> paint(50 * 50);
  draw_line({90, 20, 1}, 50, 50, 4, paint);
  for (std::size_t y = 0; y < 50; ++y) {
    EXPECT_EQ(paint[y * 50 + 25], y >= 18 && y < 22 ? 1 : 0) << y;
  }
  draw_line({0, 0, 1}, 50, 50, 4, paint);  // half outside
  draw_line({0, 49, 1}, 50, 50, 4, paint);
  EXPECT_EQ(paint[0], 1);
  EXPECT_EQ(paint[49], 1);
}

}  // namespace
}  // namespace evencube::workloads
