// The steps against what is known of the equation: modes that decay at a known rate, heat that is
// kept, and tiles that may be left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <evencube/workloads/heat.hpp>

namespace evencube::workloads {
namespace {

heat_settings without_source(std::uint32_t side, std::uint32_t tile) {
  heat_settings settings;
  settings.side = side;
  settings.tile = tile;
  settings.cooling = 0;
  settings.cutoff = 0;
  settings.source_radius = 0;
  return settings;
}

void step(const heat_plate& plate, heat_state& state, std::uint32_t number) {
  const auto work = plate.work_of(state, number);
  for (const auto tile : work) plate.advance(state, tile, number);
  plate.finish_step(state, work);
}

double sum(const heat_state& state) {
  const auto cells = state.now.samples();
  return std::accumulate(cells.begin(), cells.end(), 0.0);
}

TEST(heat, cosines_decay_at_the_rate_of_the_discrete_equation) {
  // On an insulated plate of n cells, cos(p pi (i + 1/2) / n) is an eigenvector of the second
  // difference, with eigenvalue -4 sin^2(p pi / 2 n).
  const auto settings = without_source(40, 16);
  const heat_plate plate{settings};
  for (const auto& [p, q] : {std::pair{1, 0}, {0, 3}, {2, 5}, {39, 39}}) {
    const auto mode = [along_x = p, along_y = q](std::uint32_t x, std::uint32_t y) {
      return std::cos(along_x * std::numbers::pi * (x + 0.5) / 40) *
             std::cos(along_y * std::numbers::pi * (y + 0.5) / 40);
    };
    auto state = plate.cold();
    for (std::uint32_t y = 0; y < 40; ++y) {
      for (std::uint32_t x = 0; x < 40; ++x) state.now.row(y)[x] = mode(x, y);
    }
    std::ranges::fill(state.warm, std::uint8_t{1});
    const double rate = 1 - 4 * settings.conduction *
                                (std::pow(std::sin(p * std::numbers::pi / 80), 2) +
                                 std::pow(std::sin(q * std::numbers::pi / 80), 2));
    for (std::uint32_t n = 0; n < 20; ++n) step(plate, state, n);
    for (std::uint32_t y = 0; y < 40; ++y) {
      for (std::uint32_t x = 0; x < 40; ++x) {
        ASSERT_NEAR(state.now.row(y)[x], std::pow(rate, 20) * mode(x, y), 1e-13) << p << ", " << q;
      }
    }
  }
}

TEST(heat, an_insulated_plate_keeps_what_it_has) {
  const heat_plate plate{without_source(33, 8)};
  auto state = plate.cold();
  state.now.row(0)[0] = 5;
  state.now.row(20)[32] = 3;
  std::ranges::fill(state.warm, std::uint8_t{1});
  for (std::uint32_t n = 0; n < 200; ++n) step(plate, state, n);
  EXPECT_NEAR(sum(state), 8, 1e-11);
}

TEST(heat, cooling_takes_its_part_in_each_step) {
  auto settings = without_source(16, 16);
  settings.cooling = 0.25;
  const heat_plate plate{settings};
  auto state = plate.cold();
  state.now.row(7)[3] = 1;
  std::ranges::fill(state.warm, std::uint8_t{1});
  for (std::uint32_t n = 0; n < 5; ++n) step(plate, state, n);
  EXPECT_NEAR(sum(state), std::pow(0.75, 5), 1e-14);
}

heat_settings with_source(std::uint32_t tile) {
  heat_settings settings;
  settings.side = 150;
  settings.tile = tile;
  settings.steps = 300;
  settings.source_radius = 0.03;
  return settings;
}

TEST(heat, leaves_out_only_tiles_that_stay_cold) {
  // One tile is always all of the plate: nothing can be left out.
  const heat_plate whole{with_source(150)};
  const heat_plate tiled{with_source(8)};
  auto all = whole.cold();
  auto few = tiled.cold();
  std::size_t work = 0;
  for (std::uint32_t n = 0; n < 300; ++n) {
    step(whole, all, n);
    work += tiled.work_of(few, n).size();
    step(tiled, few, n);
    ASSERT_TRUE(all.now == few.now) << "after step " << n;
  }
  EXPECT_GT(sum(all), 1);
  EXPECT_LT(work, 300 * tiled.tiles().size() * 3 / 4);
}

TEST(heat, a_plate_that_has_cooled_is_no_work) {
  auto settings = without_source(64, 16);
  settings.cooling = 0.5;
  settings.cutoff = 1e-3;
  const heat_plate plate{settings};
  auto state = plate.cold();
  state.now.row(40)[40] = 1;
  state.warm[10] = 1;
  EXPECT_EQ(plate.work_of(state, 0).size(), 5U);
  for (std::uint32_t n = 0; n < 40; ++n) step(plate, state, n);
  EXPECT_TRUE(plate.work_of(state, 40).empty());
  EXPECT_EQ(sum(state), 0);
}

TEST(heat, refuses_steps_that_would_blow_up) {
  for (const double conduction : {0.0, -0.1, 0.26, std::nan("")}) {
    heat_settings settings;
    settings.conduction = conduction;
    EXPECT_THROW(heat_plate{settings}, std::invalid_argument) << conduction;
  }
}

TEST(heat, smallest_plates) {
  for (const std::uint32_t side : {1U, 2U, 3U}) {
    auto settings = without_source(side, 8);
    const heat_plate plate{settings};
    auto state = plate.cold();
    state.now.row(0)[0] = 1;
    state.warm[0] = 1;
    for (std::uint32_t n = 0; n < 100; ++n) step(plate, state, n);
    for (const double cell : state.now.samples()) EXPECT_NEAR(cell, 1.0 / (side * side), 1e-9);
  }
}

}  // namespace
}  // namespace evencube::workloads
