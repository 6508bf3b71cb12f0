// Where tasks begin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include <evencube/workloads/placement.hpp>

namespace evencube::workloads {
namespace {

std::map<std::size_t, std::size_t> shares(placement where, std::size_t tasks, std::size_t workers) {
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t task = 0; task < tasks; ++task) {
    ++counts[home_of(where, task, workers).value()];
  }
  return counts;
}

TEST(placement, spread_deals_the_tasks_out_in_turn) {
  EXPECT_EQ(home_of(placement::spread, 0, 3), 0U);
  EXPECT_EQ(home_of(placement::spread, 5, 3), 2U);
  EXPECT_EQ(shares(placement::spread, 300, 3),
            (std::map<std::size_t, std::size_t>{{0, 100}, {1, 100}, {2, 100}}));
}

TEST(placement, one_leaves_them_with_who_spawns_them) {
  EXPECT_EQ(home_of(placement::one, 7, 3), std::nullopt);
}

TEST(placement, skewed_halves_from_worker_to_worker) {
  EXPECT_EQ(shares(placement::skewed, 1024, 4),
            (std::map<std::size_t, std::size_t>{{0, 512}, {1, 256}, {2, 128}, {3, 128}}));
  EXPECT_EQ(shares(placement::skewed, 1024, 2),
            (std::map<std::size_t, std::size_t>{{0, 512}, {1, 512}}));
  EXPECT_EQ(shares(placement::skewed, 10, 1), (std::map<std::size_t, std::size_t>{{0, 10}}));
}

TEST(placement, skewed_stays_within_the_workers) {
  for (std::size_t workers = 1; workers < 70; ++workers) {
    EXPECT_LT(home_of(placement::skewed, ~std::size_t{0}, workers).value(), workers);
  }
}

TEST(placement, names_are_read_back) {
  for (const auto where : {placement::spread, placement::one, placement::skewed}) {
    EXPECT_EQ(placement_named(name_of(where)), where);
  }
  try {
    static_cast<void>(placement_named("heap"));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "unknown placement \"heap\"; known: spread, one, skewed");
  }
}

}  // namespace
}  // namespace evencube::workloads
