// The patterns of the benchmark metg, its check of results, and its search for the granularity.
#include "metg/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::metg {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The points of the step before that a task needs.
std::vector<std::size_t> needs(const pattern& of, std::size_t step, std::size_t point) {
  const std::size_t task = of.task(step, point);
  std::vector<std::size_t> found;
  for (const std::size_t* input = of.inputs_begin(task); input != of.inputs_end(task); ++input) {
    EXPECT_EQ(*input / of.width(), step - 1);
    found.push_back(*input % of.width());
  }
  return found;
}

TEST(metg_pattern, none_needs_nothing) {
  const pattern of("none", 3, 4, 1);
  EXPECT_TRUE(of.independent());
  EXPECT_EQ(of.tasks(), 12U);
  for (std::size_t step = 1; step < 4; ++step) EXPECT_THAT(needs(of, step, 1), IsEmpty());
}

TEST(metg_pattern, a_stencil_needs_both_neighbours) {
  const pattern of("stencil", 4, 3, 1);
  EXPECT_FALSE(of.independent());
  EXPECT_THAT(needs(of, 0, 1), IsEmpty());
  EXPECT_THAT(needs(of, 1, 0), ElementsAre(0, 1));
  EXPECT_THAT(needs(of, 2, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(needs(of, 2, 3), ElementsAre(2, 3));
  EXPECT_THAT(needs(pattern("stencil", 1, 2, 1), 1, 0), ElementsAre(0));
}

TEST(metg_pattern, fft_needs_the_partner_of_each_bit_in_turn) {
  const pattern of("fft", 8, 5, 1);
  EXPECT_THAT(needs(of, 1, 5), ElementsAre(4, 5));
  EXPECT_THAT(needs(of, 2, 5), ElementsAre(5, 7));
  EXPECT_THAT(needs(of, 3, 5), ElementsAre(1, 5));
  EXPECT_THAT(needs(of, 4, 5), ElementsAre(4, 5));
  EXPECT_THAT(needs(pattern("fft", 6, 4, 1), 3, 3), ElementsAre(3)) << "there is no point 7";
  EXPECT_THAT(needs(pattern("fft", 1, 2, 1), 1, 0), ElementsAre(0));
}

TEST(metg_pattern, a_tree_doubles_up_to_its_width) {
  const pattern of("tree", 6, 5, 1);
  EXPECT_THAT((std::vector{of.points(0), of.points(1), of.points(2), of.points(3), of.points(4)}),
              ElementsAre(1, 2, 4, 6, 6));
  EXPECT_EQ(of.tasks(), 19U);
  EXPECT_THAT(needs(of, 1, 1), ElementsAre(0));
  EXPECT_THAT(needs(of, 3, 5), ElementsAre(2));
  EXPECT_THAT(needs(of, 4, 5), ElementsAre(2));
}

TEST(metg_pattern, random_is_the_same_for_the_same_seed) {
  const pattern one("random", 16, 20, 7);
  const pattern again("random", 16, 20, 7);
  const pattern other("random", 16, 20, 8);
  bool differs = false;
  for (std::size_t step = 1; step < 20; ++step) {
    for (std::size_t point = 0; point < 16; ++point) {
      const auto found = needs(one, step, point);
      EXPECT_GE(found.size(), 1U);
      EXPECT_LE(found.size(), pattern::most_inputs);
      EXPECT_TRUE(std::ranges::is_sorted(found));
      EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
      EXPECT_EQ(found, needs(again, step, point));
      differs = differs || found != needs(other, step, point);
    }
  }
  EXPECT_TRUE(differs);
}

TEST(metg_pattern, bad_patterns_are_refused) {
  try {
    const pattern of("spiral", 2, 2, 1);
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"spiral\""));
    EXPECT_THAT(error.what(), HasSubstr("stencil"));
  }
  EXPECT_THROW(pattern("none", 0, 1, 1), std::invalid_argument);
  EXPECT_THROW(pattern("none", 1, 0, 1), std::invalid_argument);
}

TEST(metg_results, parts_in_order_give_what_the_order_of_tasks_gives) {
  for (const char* const name : {"none", "stencil", "fft", "tree", "random"}) {
    const pattern of(name, 5, 7, 3);
    results wanted(of);
    wanted.set_iterations(3);
    wanted.run_all();
    results found(of);
    found.set_iterations(3);
    std::size_t tasks = 0;
    for_each_part(found, [&](std::size_t count, const auto& body) {
      for (std::size_t k = count; k-- > 0; ++tasks) body(k);
    });
    EXPECT_EQ(tasks, of.tasks()) << name;
    EXPECT_EQ(found.all(), wanted.all()) << name;
  }
}

// The checksum is there to find these.
TEST(metg_results, mistakes_of_an_engine_change_them) {
  const pattern of("stencil", 3, 4, 1);
  results wanted(of);
  wanted.set_iterations(2);
  wanted.run_all();
  const auto differs = [&](std::uint64_t iterations, const auto& run) {
    results found(of);
    found.set_iterations(iterations);
    run(found);
    return found.all() != wanted.all();
  };
  EXPECT_FALSE(differs(2, [](results& all) { all.run_all(); }));
  EXPECT_TRUE(differs(3, [](results& all) { all.run_all(); })) << "another kernel";
  EXPECT_TRUE(differs(2, [&](results& all) { all.run_all(), all.run(of.task(3, 2)); })) << "twice";
  EXPECT_TRUE(differs(2, [&](results& all) {
    for (std::size_t step = 0; step < 4; ++step) {
      for (std::size_t point = 0; point < 3; ++point) {
        if (step != 3 || point != 0) all.run(of.task(step, point));
      }
    }
  })) << "left out";
  EXPECT_TRUE(differs(2, [&](results& all) {
    for (const std::size_t step : {0U, 2U, 1U, 3U}) {
      for (std::size_t point = 0; point < 3; ++point) all.run(of.task(step, point));
    }
  })) << "too early";
}

// An engine whose tasks cost `overhead` seconds each in addition to a kernel of 1 ns an iteration.
auto engine_with(double overhead, std::size_t& calls) {
  return [overhead, &calls](std::uint64_t iterations) {
    ++calls;
    const double work = 1e-9 * static_cast<double>(iterations);
    return sample{iterations, work + overhead, work / (work + overhead)};
  };
}

TEST(metg_search, finds_twice_the_overhead) {
  for (const double overhead : {3e-9, 40e-9, 250e-9, 3e-6, 90e-6}) {
    std::size_t calls = 0;
    const found result = find_granularity(0.5, 1048576, engine_with(overhead, calls));
    EXPECT_TRUE(result.reached);
    EXPECT_NEAR(result.granularity / (2 * overhead), 1.0, 0.03) << overhead;
    EXPECT_LE(calls, 16U);
    EXPECT_EQ(result.curve.size(), calls) << "a number of iterations was measured twice";
    EXPECT_TRUE(std::ranges::is_sorted(result.curve, {}, &sample::iterations));
  }
}

TEST(metg_search, finds_other_efficiencies) {
  std::size_t calls = 0;
  const found result = find_granularity(0.9, 1048576, engine_with(1e-6, calls));
  EXPECT_NEAR(result.granularity / 10e-6, 1.0, 0.03);
}

TEST(metg_search, gives_bounds_where_the_efficiency_is_not_crossed) {
  std::size_t calls = 0;
  const found never = find_granularity(0.5, 1000, engine_with(1e-3, calls));
  EXPECT_FALSE(never.reached);
  EXPECT_DOUBLE_EQ(never.granularity, never.curve.back().granularity);
  EXPECT_LE(never.curve.back().iterations, 1000U);
  const found always = find_granularity(0.5, 1000, engine_with(1e-10, calls));
  EXPECT_TRUE(always.reached);
  EXPECT_DOUBLE_EQ(always.granularity, 1.1e-9);
  EXPECT_EQ(always.curve.size(), 1U);
}

TEST(metg_search, ends_on_samples_that_are_not_monotone) {
  std::size_t calls = 0;
  const found result = find_granularity(0.5, 1048576, [&](std::uint64_t iterations) {
    ++calls;
    return sample{iterations, 1e-9 * static_cast<double>(iterations), calls % 3 == 0 ? 0.7 : 0.2};
  });
  EXPECT_TRUE(result.reached);
  EXPECT_TRUE(std::isfinite(result.granularity));
  EXPECT_LE(calls, 16U);
}

}  // namespace
}  // namespace bench::metg
