#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/exhaustive.hpp>

#include "support.hpp"

namespace evencube {
namespace {

TEST(worst_case, oem_over_all_integer_loads) {
  // Rim et al. 2003, Theorem 1: at most ceil(d / 2); attained for every d.
  for (unsigned d = 0; d <= 12; ++d) {
    EXPECT_EQ(worst_difference(pair_rule::oem, d), static_cast<load_type>((d + 1) / 2)) << d;
  }
}

TEST(worst_case, dem_over_all_integer_loads) {
  for (unsigned d = 0; d <= 8; ++d) {
    EXPECT_EQ(worst_difference(pair_rule::dem, d), static_cast<load_type>(d)) << d;
  }
}

TEST(worst_case, of_the_rule_behind_table_1_is_that_of_dem) {
  for (unsigned d = 0; d <= 12; ++d) {
    EXPECT_EQ(worst_difference(pair_rule::dem_lower, d), static_cast<load_type>(d)) << d;
  }
}

TEST(worst_case, reachable_sets_agree_with_running_through_loads) {
  // All loads 0 .. 4 on 8 nodes reach the worst case of both rules: 390625 vectors.
  const auto graph = topology::hypercube(3);
  for (const auto rule : {pair_rule::dem, pair_rule::dem_lower, pair_rule::oem}) {
    load_type worst = 0;
    testing::loads_type flows(4);
    for (int code = 0; code < 390625; ++code) {
      testing::loads_type loads(8);
      for (int k = 0, rest = code; k < 8; ++k, rest /= 5) {
        loads[static_cast<std::size_t>(k)] = rest % 5;
      }
      for (unsigned i = 0; i < 3; ++i) exchange_dimension(rule, loads, i, flows);
      worst = std::max(worst, max_difference(loads));
    }
    EXPECT_EQ(worst, worst_difference(rule, 3));
  }
}

struct table_1_column {
  pair_rule rule;
  unsigned dimensions;
  unsigned largest;
  std::vector<std::uint64_t> counts;
};

std::vector<std::uint64_t> trimmed(const difference_counts& counts, std::size_t size) {
  for (std::size_t i = size; i < counts.size(); ++i) EXPECT_EQ(counts[i], 0U);
  return {counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(size)};
}

class rim_table_1 : public ::testing::TestWithParam<table_1_column> {};

TEST_P(rim_table_1, by_memory) {
  const auto& [rule, dimensions, largest, expected] = GetParam();
  const sorted_load_table table(rule, dimensions, largest);
  // In two parts, as workers would share it.
  auto counts = table.count(0, table.rows() / 3);
  counts += table.count(table.rows() / 3, table.rows());
  EXPECT_EQ(trimmed(counts, expected.size()), expected);
  std::uint64_t sum = 0;
  for (const auto count : counts) sum += count;
  EXPECT_EQ(sum, table.vectors());
}

INSTANTIATE_TEST_SUITE_P(
    columns, rim_table_1,
    ::testing::Values(
        table_1_column{pair_rule::oem, 3, 17, {87034, 925739, 68802, 0}},
        table_1_column{pair_rule::oem, 4, 12, {476485, 24949040, 4996230, 0}},
        // The paper's DEM columns; its rows 3 and above are split otherwise.
        table_1_column{pair_rule::dem_lower, 3, 17, {50438, 819747, 211170, 220}},
        table_1_column{pair_rule::dem_lower, 4, 12, {148226, 17593176, 12502375, 177974, 4}},
        // The DEM rule as printed, from which they do not come.
        table_1_column{pair_rule::dem, 3, 17, {16908, 612765, 448184, 3718}},
        table_1_column{pair_rule::dem, 4, 12, {18670, 8268630, 20645905, 1488534, 16}}));

TEST(rim_table_1, directly_on_8) {
  EXPECT_EQ(trimmed(count_sorted_loads(pair_rule::oem, 3, 17), 4),
            (std::vector<std::uint64_t>{87034, 925739, 68802, 0}));
  EXPECT_EQ(trimmed(count_sorted_loads(pair_rule::dem, 3, 17), 4),
            (std::vector<std::uint64_t>{16908, 612765, 448184, 3718}));
  EXPECT_EQ(trimmed(count_sorted_loads(pair_rule::dem_lower, 3, 17), 4),
            (std::vector<std::uint64_t>{50438, 819747, 211170, 220}));
}

TEST(rim_table_1, both_ways_agree_on_small_cases) {
  for (const auto rule : {pair_rule::dem, pair_rule::dem_lower, pair_rule::oem}) {
    for (unsigned dimensions = 1; dimensions <= 4; ++dimensions) {
      for (unsigned largest = 0; largest <= 4; ++largest) {
        EXPECT_EQ(sorted_load_table(rule, dimensions, largest).count(),
                  count_sorted_loads(rule, dimensions, largest));
      }
    }
  }
}

TEST(rim_table_1, ranges_are_checked) {
  EXPECT_THROW(sorted_load_table(pair_rule::oem, 0, 3), std::invalid_argument);
  EXPECT_THROW(sorted_load_table(pair_rule::oem, 6, 3), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(worst_difference(pair_rule::oem, 21)), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
