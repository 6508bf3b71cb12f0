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

TEST(placement, random_draws_every_worker_about_as_often_and_always_the_same) {
  for (const std::size_t workers : {std::size_t{1}, std::size_t{3}, std::size_t{16}}) {
    const auto counts = shares(placement::random, 16000, workers);
    ASSERT_EQ(counts.size(), workers);
    const double expected = 16000.0 / static_cast<double>(workers);
    double chi_square = 0;
    for (const auto& [worker, tasks] : counts) {
      const double off = static_cast<double>(tasks) - expected;
      chi_square += off * off / expected;
    }
    // 15 degrees of freedom exceed it once in a thousand draws; this draw is always the same.
    EXPECT_LT(chi_square, 37.7) << workers;
    EXPECT_EQ(counts, shares(placement::random, 16000, workers));
  }
}

// Recordings and figures of other machines and years are comparable: the numbers stay.
TEST(placement, random_draws_the_numbers_of_splitmix64) {
  // Outputs 0 to 2 under seed 0: E220A8397B1DCDAF, 6E789E6AA1B965F4, 06C45D188009454F.
  constexpr std::size_t all = std::size_t{1} << 16;
  EXPECT_EQ(home_of(placement::random, 0, all, 0), 0xE220U);
  EXPECT_EQ(home_of(placement::random, 1, all, 0), 0x6E78U);
  EXPECT_EQ(home_of(placement::random, 2, all, 0), 0x06C4U);
  EXPECT_EQ(home_of(placement::random, 0, all, random_placement_seed),
            home_of(placement::random, 0, all));
  EXPECT_NE(home_of(placement::random, 0, all, 1), home_of(placement::random, 0, all, 0));
}

TEST(placement, names_are_read_back) {
  for (const auto where : all_placements) {
    EXPECT_EQ(placement_named(name_of(where)), where);
  }
  try {
    static_cast<void>(placement_named("heap"));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "unknown placement \"heap\"; known: spread, one, skewed, random");
  }
}

}  // namespace
}  // namespace evencube::workloads
