// How long no round runs after a round (runtime/src/balance/migration.md).
#include "balance/round_rest.hpp"

#include <gtest/gtest.h>

namespace evencube::detail {
namespace {

TEST(round_rest, is_eight_times_the_round) {
  round_rest rest;
  for (const std::int64_t took : {3'000, 9'000, 200, 4'000}) {
    EXPECT_EQ(rest.after(took), 8 * took) << took;
  }
}

TEST(round_rest, after_a_round_that_lost_its_processor_is_that_after_a_few) {
  round_rest rest;
  for (int i = 0; i < 20; ++i) static_cast<void>(rest.after(6'000));
  const std::int64_t longest = rest.after(10'000'000);
  EXPECT_GT(longest, 8 * 6'000);
  EXPECT_LE(longest, 8 * 4 * 6'000);
  EXPECT_EQ(rest.after(6'000), 8 * 6'000);
}

TEST(round_rest, grows_with_rounds_that_have_become_long) {
  round_rest rest;
  int rounds = 1;
  for (std::int64_t last = 0; rest.after(1'000'000) != 8'000'000; ++rounds) {
    const std::int64_t now = rest.after(1'000'000);
    ASSERT_GE(now, last);
    last = now;
    ASSERT_LT(rounds, 100);
  }
}

}  // namespace
}  // namespace evencube::detail
