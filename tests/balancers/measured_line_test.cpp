// Boundaries that follow measured times. In these tests a cost function gives the times, so that
// everything is exact and repeatable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <evencube/balancers/measured_line.hpp>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace evencube {
namespace {

using ::testing::ElementsAre;
using cost_of = std::function<double(std::uint64_t)>;
using samples = std::vector<measured_line::sample>;

/// A run in which every item took the time of the cost function, reported in pieces of `length`
/// items.
samples run_of(const measured_line& line, const cost_of& cost, std::uint64_t length = 10) {
  samples all;
  for (std::uint64_t first = 0; first < line.items(); first += length) {
    const std::uint64_t last = std::min(line.items(), first + length);
    double seconds = 0;
    for (std::uint64_t i = first; i < last; ++i) seconds += cost(i);
    all.push_back({first, last, seconds});
  }
  return all;
}

std::vector<double> block_times(const measured_line& line, const cost_of& cost) {
  std::vector<double> times;
  for (std::size_t p = 0; p < line.positions(); ++p) {
    double seconds = 0;
    for (std::uint64_t i = line.bounds()[p]; i < line.bounds()[p + 1]; ++i) seconds += cost(i);
    times.push_back(seconds);
  }
  return times;
}

double excess(const measured_line& line, const cost_of& cost) {
  const std::vector<double> times = block_times(line, cost);
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return *std::max_element(times.begin(), times.end()) / (sum / double(times.size())) - 1;
}

TEST(measured_line, begins_with_equal_blocks) {
  const measured_line line(10, 4);
  EXPECT_THAT(line.bounds(), ElementsAre(0, 2, 5, 7, 10));
  EXPECT_THROW(measured_line(10, 0), std::invalid_argument);
  measured_line empty(0, 3);
  empty.record(0, {});
  EXPECT_EQ(empty.rebalance(), 0);
  EXPECT_EQ(empty.imbalance(), 0);
}

TEST(measured_line, evens_out_what_it_measured) {
  const cost_of ramp = [](std::uint64_t i) { return 1e-6 * double(i + 1); };
  measured_line line(10000, 8);
  EXPECT_GT(excess(line, ramp), 0.8);
  line.record(0, run_of(line, ramp));
  EXPECT_NEAR(line.imbalance(), excess(line, ramp), 0.01);
  EXPECT_GT(line.rebalance(), 0);
  EXPECT_LT(excess(line, ramp), 0.01);
  EXPECT_LT(line.imbalance(), 0.01);
  // The total cost of the blocks before each boundary is their share: a square root.
  for (std::size_t p = 1; p < 8; ++p) {
    EXPECT_NEAR(double(line.bounds()[p]), 10000 * std::sqrt(double(p) / 8), 3);
  }
}

TEST(measured_line, stays_where_it_is_even) {
  const cost_of even = [](std::uint64_t) { return 1e-6; };
  measured_line line(1000, 8);
  for (int step = 0; step < 100; ++step) {
    line.record(0, run_of(line, even));
    EXPECT_EQ(line.rebalance(), 0);
  }
}

TEST(measured_line, ignores_one_slow_run) {
  const cost_of even = [](std::uint64_t) { return 1e-6; };
  const cost_of taken_away = [](std::uint64_t i) { return i < 100 ? 50e-6 : 1e-6; };
  measured_line line(1000, 4);
  for (int step = 0; step < 3; ++step) line.record(0, run_of(line, even));
  line.record(0, run_of(line, taken_away));
  EXPECT_EQ(line.rebalance(), 0);
  line.record(0, run_of(line, taken_away));  // two such runs are no accident
  EXPECT_GT(line.rebalance(), 0);
}

TEST(measured_line, follows_a_load_that_drifts) {
  measured_line line(4000, 16);
  double worst = 0;
  for (int step = 0; step < 400; ++step) {
    const cost_of hot = [step](std::uint64_t i) {
      const auto at = static_cast<std::uint64_t>(step) * 2;
      return i >= at && i < at + 400 ? 10e-6 : 1e-6;
    };
    if (step > 3) worst = std::max(worst, excess(line, hot));
    line.record(0, run_of(line, hot));
    line.rebalance();
  }
  EXPECT_LT(worst, 0.1);  // without moves one block would take ten times as long as the others
}

// An imbalance of a tenth in one run is not worth a move that costs as much as a run.
TEST(measured_line, moves_only_when_the_loss_exceeds_the_measured_cost) {
  constexpr double cost_of_touching = 20e-6;
  measured_line line(1000, 2);
  const auto left_heavy = [](std::uint64_t i) { return i < 500 ? 1.3e-6 : 1e-6; };
  const auto right_heavy = [](std::uint64_t i) { return i < 500 ? 1e-6 : 1.3e-6; };
  // The first move is free, because no cost is known; its cost is measured after it.
  line.record(0, run_of(line, left_heavy, 1));
  line.record(0, run_of(line, left_heavy, 1));
  const std::uint64_t before = line.bounds()[1];
  ASSERT_GT(line.rebalance(), 0);
  const std::uint64_t after = line.bounds()[1];
  line.record(0, run_of(
                     line,
                     [&](std::uint64_t i) {
                       return left_heavy(i) + (i >= after && i < before ? cost_of_touching : 0);
                     },
                     1));
  EXPECT_NEAR(line.cost_of_moved_item(), cost_of_touching / 2, cost_of_touching / 20);
  int runs = 0;
  for (std::uint64_t moved = 0; moved == 0; ++runs) {
    ASSERT_LT(runs, 100);
    line.record(0, run_of(line, right_heavy, 1));
    moved = line.rebalance();
  }
  // The excess is 150 us a run at first; a move of 140 items costs 1.4 ms.
  EXPECT_GT(runs, 5);
  EXPECT_LT(runs, 30);
}

TEST(measured_line, shares_one_partition_among_kinds_by_how_often_they_run) {
  const cost_of left = [](std::uint64_t i) { return i < 500 ? 3e-6 : 1e-6; };
  const cost_of right = [](std::uint64_t i) { return i < 500 ? 1e-6 : 3e-6; };
  measured_line line(1000, 2);
  for (int step = 0; step < 200; ++step) {
    line.record(0, run_of(line, left));
    line.record(1, run_of(line, right));
    line.rebalance();
  }
  EXPECT_NEAR(double(line.bounds()[1]), 500, 20);  // together the two loads are even
  for (int step = 0; step < 200; ++step) {         // the second load has ended
    line.record(0, run_of(line, left));
    line.rebalance();
  }
  EXPECT_NEAR(double(line.bounds()[1]), 333, 5);
}

TEST(measured_line, counts_a_measured_run_for_those_that_were_not_measured) {
  const cost_of rising = [](std::uint64_t i) { return 1e-6 * double(i); };
  const cost_of flat = [](std::uint64_t) { return 20e-6; };
  measured_line each(100, 2);
  measured_line some(100, 2);
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 8; ++k) each.record(0, run_of(each, rising));
    some.record(0, run_of(some, rising), 8);
    for (auto* const line : {&each, &some}) line->record(1, run_of(*line, flat));
  }
  EXPECT_DOUBLE_EQ(each.imbalance(), some.imbalance());
  // A move is worth its cost after as many runs, measured or not.
  const cost_of falling = [](std::uint64_t i) { return 1e-6 * double(100 - i); };
  for (auto* const line : {&each, &some}) {
    ASSERT_NE(line->rebalance(), 0U);
    line->record(1, run_of(*line, [&](std::uint64_t) { return 2e-3; }));  // what moved is dear
    for (int k = 0; k < 30; ++k) line->record(0, run_of(*line, falling));
  }
  std::uint64_t runs = 1;
  while (each.rebalance() == 0 && runs < 1000) ++runs;
  EXPECT_GT(runs, 2U);
  EXPECT_LT(runs, 1000U);
  measured_line sooner = some;
  EXPECT_EQ(sooner.rebalance(runs - 1), 0U);
  EXPECT_NE(some.rebalance(runs), 0U);
}

TEST(measured_line, keeps_its_shape_when_the_number_of_items_changes) {
  const cost_of steep = [](std::uint64_t i) { return i < 1000 ? 9e-6 : 1e-6; };
  measured_line line(10000, 2);
  line.record(0, run_of(line, steep));
  ASSERT_GT(line.rebalance(), 0);
  const double part = double(line.bounds()[1]) / 10000;
  line.resize(20000);
  EXPECT_EQ(line.items(), 20000);
  EXPECT_NEAR(double(line.bounds()[1]) / 20000, part, 0.001);
  EXPECT_LT(line.imbalance(), 0.02);
  line.resize(3);
  EXPECT_EQ(line.bounds().back(), 3);
  line.resize(0);
  EXPECT_EQ(line.rebalance(), 0);
  line.resize(100);
  EXPECT_EQ(line.bounds()[1], 50);
}

TEST(measured_line, refuses_items_that_are_not_there) {
  measured_line line(10, 2);
  EXPECT_THROW(line.record(0, samples{{5, 11, 1.0}}), std::out_of_range);
}

RC_GTEST_PROP(measured_line, is_as_even_as_its_pieces_allow, ()) {
  const auto items = *rc::gen::inRange<std::uint64_t>(0, 3000);
  const auto positions = *rc::gen::inRange<std::size_t>(1, 40);
  const auto costs = *rc::gen::container<std::vector<int>>(items, rc::gen::inRange(0, 100));
  const auto length = *rc::gen::inRange<std::uint64_t>(1, 50);
  const cost_of cost = [&](std::uint64_t i) { return 1e-6 * costs[i]; };
  measured_line line(items, positions);
  const double before = items != 0 ? excess(line, cost) : 0;
  line.record(0, run_of(line, cost, length));
  const std::uint64_t moved = line.rebalance();
  const auto bounds = line.bounds();
  RC_ASSERT(bounds.front() == 0u);
  RC_ASSERT(bounds.back() == items);
  RC_ASSERT(std::is_sorted(bounds.begin(), bounds.end()));
  RC_ASSERT(moved <= items);
  const std::vector<double> times = block_times(line, cost);
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  // A boundary lies within a piece of its right place, and within the items reported as one.
  const double piece =
      double(std::max<std::uint64_t>(length, items / (64 * positions) + 1)) * 100e-6;
  if (moved != 0) {
    RC_ASSERT(*std::max_element(times.begin(), times.end()) <= sum / double(positions) + 4 * piece);
  } else if (sum > 0) {
    RC_ASSERT(before * sum / double(positions) <= 0.01 * sum / double(positions) + 4 * piece);
  }
}

}  // namespace
}  // namespace evencube
