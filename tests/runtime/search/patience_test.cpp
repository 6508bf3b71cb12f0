#include <evencube/detail/patience.hpp>

#include <gtest/gtest.h>

#include <random>

namespace evencube::patience_test {
namespace {

using detail::patience;

constexpr std::int64_t base = 20'000;

/// One thread whose work comes when it comes.
struct thread_of_gaps {
  patience learned = {};
  std::int64_t now = 1'000'000;

  /// How long it would have stayed awake; the work comes after `gap`, and takes a microsecond.
  std::int64_t after(std::int64_t gap) {
    const std::int64_t began = now;
    const std::int64_t until = learned.begin(began, base);
    now += gap;
    learned.end(now, true);
    now += 1'000;
    return until - began;
  }
};

TEST(patience, begins_after_three_short_gaps) {
  thread_of_gaps t;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(t.after(100'000), base) << i;
  EXPECT_EQ(t.after(100'000), 170'000);
}

TEST(patience, ends_with_the_first_long_gap) {
  thread_of_gaps t;
  for (int i = 0; i < 10; ++i) t.after(100'000);
  EXPECT_GT(t.after(1'000'000), base);
  EXPECT_EQ(t.after(100'000), base);
}

TEST(patience, has_a_limit) {
  thread_of_gaps t;
  for (int i = 0; i < 10; ++i) t.after(290'000);
  EXPECT_EQ(t.after(290'000), patience::longest_ns);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(t.after(310'000), i == 0 ? patience::longest_ns : base);
}

TEST(patience, forgets_a_longer_gap_slowly) {
  thread_of_gaps t;
  for (int i = 0; i < 4; ++i) t.after(200'000);
  t.after(10'000);
  EXPECT_GT(t.after(10'000), 200'000);
  for (int i = 0; i < 40; ++i) t.after(10'000);
  EXPECT_LT(t.after(10'000), 50'000);
}

// As after a sleep with a limit: nobody knows how much longer the work would have taken to come.
TEST(patience, ends_when_nobody_calls) {
  thread_of_gaps t;
  for (int i = 0; i < 10; ++i) t.after(100'000);
  EXPECT_GT(t.learned.begin(t.now, base), t.now + base);
  t.now += 50'000;
  t.learned.end(t.now, false);
  EXPECT_EQ(t.learned.begin(t.now, base), t.now + base);
}

// The time between is not a gap: the worker had work.
TEST(patience, of_a_stretch_does_not_count_what_was_before_it) {
  thread_of_gaps t;
  for (int i = 0; i < 10; ++i) t.after(100'000);
  static_cast<void>(t.learned.begin(t.now, base));
  t.learned.end(t.now + 20'000, false);
  t.now += 1'000'000'000;
  for (unsigned i = 0; i < patience::needed; ++i) EXPECT_EQ(t.after(100'000), base);
  EXPECT_GT(t.after(100'000), base);
}

TEST(patience, is_gone_for_a_while_when_the_processor_was_lost) {
  thread_of_gaps t;
  std::int64_t cold = patience::shortest_penalty_ns / 2;
  while (cold < patience::longest_penalty_ns / 2) {
    const std::int64_t before = cold;
    const std::int64_t lost_at = t.now;
    t.learned.lost(t.now);
    while (t.after(100'000) == base) continue;
    cold = t.now - lost_at;
    ASSERT_GT(cold, before / 4 * 7);
    ASSERT_LE(cold, patience::longest_penalty_ns);
  }
}

// The bound of the contract, for gaps of all kinds: in vain is a stretch that was over when the
// work came.
TEST(patience, is_in_vain_only_after_three_short_gaps) {
  std::mt19937_64 random(3);
  thread_of_gaps t;
  unsigned short_ones = 0;
  int in_vain = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto gap =
        static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 5'000'000 : 250'000));
    const std::int64_t awake = t.after(gap);
    ASSERT_LE(awake, patience::longest_ns);
    if (awake > base && gap > awake) {
      ASSERT_GE(short_ones, patience::needed);
      short_ones = 0;
      ++in_vain;
    } else {
      short_ones = gap <= patience::longest_ns ? short_ones + 1 : 0;
    }
  }
  EXPECT_GT(in_vain, 100);
}

// Each gap is longer than the last stretch awake, and shorter than the limit.
TEST(patience, is_not_led_on_by_growing_gaps) {
  thread_of_gaps t;
  int in_vain = 0;
  for (const std::int64_t gap : {20'000, 20'000, 20'000, 60'000, 120'000, 210'000, 290'000}) {
    const std::int64_t awake = t.after(gap);
    if (awake > base && gap > awake) ++in_vain;
  }
  EXPECT_EQ(in_vain, 1);
}

}  // namespace
}  // namespace evencube::patience_test
