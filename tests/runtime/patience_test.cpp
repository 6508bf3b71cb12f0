#include <evencube/detail/patience.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <evencube/evencube.hpp>
#include <random>
#include <thread>

#include "deadline.hpp"

namespace evencube::patience_test {
namespace {

using namespace std::chrono_literals;
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

// Who looks by itself, as after a sleep with a limit, was not called.
TEST(patience, is_not_renewed_by_looking) {
  thread_of_gaps t;
  for (int i = 0; i < 10; ++i) t.after(100'000);
  const std::int64_t until = t.learned.begin(t.now, base);
  for (int i = 0; i < 10; ++i) {
    t.now += 10'000;
    t.learned.end(t.now, false);
    EXPECT_EQ(t.learned.begin(t.now, base), until);
  }
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

// The bound of the contract: one in vain for three that were not, whatever comes.
TEST(patience, is_in_vain_once_in_four_times_at_most) {
  std::mt19937_64 random(3);
  thread_of_gaps t;
  std::int64_t in_vain = 0;
  std::int64_t others = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto gap =
        static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 5'000'000 : 250'000));
    const std::int64_t awake = t.after(gap);
    ASSERT_LE(awake, patience::longest_ns);
    if (awake > base && gap > patience::longest_ns) ++in_vain;
    if (gap <= patience::longest_ns) ++others;
    ASSERT_LE(3 * in_vain, others);
  }
  EXPECT_GT(in_vain, 0);
}

statistics after_phases(hotness how, std::chrono::microseconds gap) {
  runtime rt({.workers = 2, .hotness = how});
  const test::deadline deadline(rt, 60s);
  for (int i = 0; i < 300; ++i) {
    rt.run([] {
      parallel_for(0, 64, [](int) {
        const auto end = std::chrono::steady_clock::now() + 1us;
        while (std::chrono::steady_clock::now() < end) continue;
      });
    });
    const auto end = std::chrono::steady_clock::now() + gap;
    while (std::chrono::steady_clock::now() < end) continue;
  }
  rt.reset_stats();
  std::this_thread::sleep_for(200ms);
  return rt.stats();
}

// What is asked of programs that have stopped: each worker may be in its last stretch.
TEST(hotness, burns_nothing_once_the_phases_have_stopped) {
  for (const hotness how : {hotness::never, hotness::learned, hotness::always}) {
    const statistics then = after_phases(how, 100us);
    for (const auto& worker : then.workers) {
      EXPECT_LE(worker.awake_seconds, 2e-9 * patience::longest_ns) << static_cast<int>(how);
    }
  }
}

}  // namespace
}  // namespace evencube::patience_test
