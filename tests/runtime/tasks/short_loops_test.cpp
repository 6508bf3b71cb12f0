#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <evencube/detail/loop_pace.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <thread>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::short_loops_test {
namespace {

using namespace std::chrono_literals;
using detail::loop_pace;
using way = loop_pace::way;

void share(loop_pace& pace, std::int64_t took, unsigned loops) {
  for (unsigned i = 0; i < loops; ++i) {
    ASSERT_EQ(pace.way_of(8), way::shared) << i;
    pace.was_shared(8, took);
  }
}

TEST(loop_pace, tries_loops_that_may_be_short) {
  loop_pace pace;
  share(pace, 20'000, 2);
  share(pace, 50'000, 1);  // three in a row are needed
  share(pace, 20'000, 3);
  EXPECT_EQ(pace.way_of(8), way::tried_in_place);
  pace.ran_in_place(8, 800);
  EXPECT_EQ(pace.way_of(8), way::in_place);
  EXPECT_EQ(pace.way_of(36), way::in_place);
  EXPECT_EQ(pace.way_of(41), way::shared) << "more than 4 us";
  pace.was_shared(8, 20'000);
  EXPECT_EQ(pace.way_of(8), way::in_place) << "known as before";
}

TEST(loop_pace, forgets_loops_that_have_become_long) {
  loop_pace pace;
  share(pace, 1'000, 3);
  pace.ran_in_place(8, 80);
  pace.ran_in_place(8, 4'000);
  share(pace, 1'000, loop_pace::shared_again + 3);
  EXPECT_EQ(pace.way_of(8), way::tried_in_place);
}

/// A pace of loops that take `shared` when they are shared, at which in place is compared with
/// that.
void compare(loop_pace& pace, std::int64_t shared) {
  share(pace, shared, 3);
  EXPECT_EQ(pace.way_of(8), way::tried_in_place);
  pace.ran_in_place(8, 15'000);  // not short, and no worker was awake when the loops were shared
  share(pace, shared, loop_pace::shared_again + 3);
}

void try_in_place(loop_pace& pace, std::initializer_list<std::int64_t> times) {
  for (const std::int64_t took : times) {
    ASSERT_EQ(pace.way_of(8), way::tried_in_place) << took;
    pace.ran_in_place(8, took);
  }
}

TEST(loop_pace, leaves_in_place_what_is_as_fast) {
  loop_pace pace;
  compare(pace, 16'000);
  try_in_place(pace, {25'000, 15'000, 18'000});  // the first one fetches its data
  EXPECT_EQ(pace.way_of(8), way::in_place);
  EXPECT_EQ(pace.way_of(15), way::in_place);
  EXPECT_EQ(pace.way_of(17), way::shared) << "more than 30 us";
  for (unsigned i = 1; i < loop_pace::compared_again; ++i) {
    pace.ran_in_place(8, 15'000);
    ASSERT_EQ(pace.way_of(8), way::in_place) << i;
  }
  pace.ran_in_place(8, 15'000);
  share(pace, 16'000, loop_pace::shared_before + 3);
  try_in_place(pace, {15'000, 15'000, 15'000});
  EXPECT_EQ(pace.way_of(8), way::in_place);
  pace.ran_in_place(8, 17'000);
  EXPECT_EQ(pace.way_of(8), way::shared) << "no longer as fast";
}

TEST(loop_pace, compares_with_the_mean_of_shared_loops) {
  loop_pace pace;
  compare(pace, 5'000);
  try_in_place(pace, {15'000});
  share(pace, 5'000, 2 * loop_pace::shared_again);
  for (const std::int64_t took : {10'000, 20'000, 18'000}) share(pace, took, 1);
  try_in_place(pace, {15'900, 15'900, 15'900});
  EXPECT_EQ(pace.way_of(8), way::in_place);
}

TEST(loop_pace, shares_what_is_faster_shared) {
  loop_pace pace;
  compare(pace, 14'000);
  try_in_place(pace, {15'000, 15'000, 15'000});
  share(pace, 14'000, 2 * loop_pace::shared_again + 3);
  try_in_place(pace, {29'000});  // more than twice as long: one is enough
  share(pace, 14'000, 4 * loop_pace::shared_again + 3);
  try_in_place(pace, {13'000, 13'000, 13'000});
  EXPECT_EQ(pace.way_of(8), way::in_place);
}

TEST(loop_pace, tries_ever_more_rarely_up_to_a_limit) {
  loop_pace pace;
  compare(pace, 5'000);
  unsigned times = 1;
  for (unsigned i = 0; i < 10; ++i) {
    try_in_place(pace, {15'000});
    times = i < loop_pace::most_doublings ? 2 * times : times;
    share(pace, 5'000, times * loop_pace::shared_again + 3);
  }
}

TEST(loop_pace, limits_a_loop_in_place_to_twice_the_expected_time) {
  loop_pace pace;
  EXPECT_EQ(pace.limit_of(8), loop_pace::least_limit_ns) << "nothing is known";
  compare(pace, 8'000);
  EXPECT_NEAR(double(pace.limit_of(8)), 16e3, 10);
  EXPECT_EQ(pace.limit_of(80), loop_pace::maybe_short_ns);
  EXPECT_EQ(pace.limit_of(std::size_t{1} << 60), loop_pace::maybe_short_ns);
}

TEST(loop_pace, never_tries_loops_that_take_long) {
  loop_pace pace;
  share(pace, 40'000, 1000);
}

TEST(loop_pace, follows_a_change) {
  loop_pace pace;
  share(pace, 1'000, 3);
  pace.ran_in_place(8, 80);
  EXPECT_EQ(pace.way_of(1000), way::shared) << "10 us";
  pace.ran_in_place(8, 8);
  EXPECT_EQ(pace.way_of(1000), way::in_place) << "1 us";
}

std::uint64_t parks(const runtime& rt) { return rt.stats().workers[1].parks; }

/// Calls `loop` again and again with a gap, in which the other worker goes to sleep. Returns how
/// often the other worker was woken.
template <typename Loop>
std::uint64_t woken_by(runtime& rt, int times, const Loop& loop) {
  rt.reset_stats();
  for (int i = 0; i < times; ++i) {
    std::this_thread::sleep_for(200us);
    loop();
  }
  return parks(rt);
}

// If another program takes the processor from a loop that is timed, the loop is taken for a long
// one. So this is tried until it is left in peace.
template <typename Loop>
void expect_no_wake_ups(const Loop& loop) {
  runtime rt({.workers = 2, .hotness = hotness::never});
  const test::deadline deadline(rt, 60s);
  while (woken_by(rt, 100, [&] { loop(rt); }) > 5) {
  }
}

TEST(short_loop, wakes_nobody) {
  if (test::sanitizer_slowness != 1) GTEST_SKIP() << "a sanitizer makes short loops long";
  expect_no_wake_ups([](runtime& rt) {
    std::atomic<int> sum{0};
    parallel_for(rt, 0, 16, [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
    EXPECT_EQ(sum.load(), 120);
  });
}

TEST(short_reduction, wakes_nobody) {
  if (test::sanitizer_slowness != 1) GTEST_SKIP() << "a sanitizer makes short loops long";
  expect_no_wake_ups([](runtime& rt) {
    EXPECT_EQ(parallel_reduce(rt, 0, 16, 0, [](int i) { return i; }, std::plus<>()), 120);
  });
}

TEST(short_loop, wakes_nobody_within_a_longer_run) {
  if (test::sanitizer_slowness != 1) GTEST_SKIP() << "a sanitizer makes short loops long";
  expect_no_wake_ups([](runtime& rt) {
    const auto loops = [] {
      for (int i = 0; i < 3; ++i) parallel_for(0, 2, [](int) {});
    };
    rt.run(loops, {.pin = false});
  });
}

TEST(long_loop, wakes_the_other_worker) {
  runtime rt({.workers = 2, .hotness = hotness::never});
  const test::deadline deadline(rt, 60s);
  const auto loop = [&] { parallel_for(rt, 0, 16, [](int) { std::this_thread::sleep_for(1ms); }); };
  EXPECT_GE(woken_by(rt, 20, loop), 10U);
}

// The loops are short until one of them is not. Its iterations wait for another worker, which can
// only come if the loop goes on as every other loop.
TEST(short_loop, is_shared_once_it_takes_long) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt, 60s);
  std::atomic<bool> long_one{false};
  std::atomic<bool> helped{false};
  const auto loop = [&] {
    parallel_for(rt, 0, 64, [&](int) {
      if (!long_one.load(std::memory_order_relaxed)) return;
      if (this_worker() == 1) helped.store(true);
      if (!helped.load()) std::this_thread::sleep_for(1ms);
    });
  };
  while (!helped.load()) {
    long_one.store(false);
    for (int i = 0; i < 200; ++i) loop();
    long_one.store(true);
    loop();
  }
}

TEST(short_loop, throws_what_its_body_throws) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt, 60s);
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> ran{0};
    const auto loop = [&] {
      parallel_for(rt, 0, 8, [&](int k) {
        ran.fetch_add(1, std::memory_order_relaxed);
        if (i % 10 == 9 && k == 5) throw std::runtime_error("no");
      });
    };
    if (i % 10 == 9) {
      EXPECT_THROW(loop(), std::runtime_error);
    } else {
      loop();
      EXPECT_EQ(ran.load(), 8);
    }
  }
}

TEST(short_loop, may_spawn_and_contain_loops) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt, 60s);
  for (int i = 0; i < 300; ++i) {
    std::atomic<int> ran{0};
    parallel_for(rt, 0, 4, [&](int) {
      parallel_for(0, 4,
                   [&](int) { fork_join([&] { ran.fetch_add(1); }, [&] { ran.fetch_add(1); }); });
    });
    ASSERT_EQ(ran.load(), 32);
  }
}

TEST(lone_worker, counts_brief_calls_and_pauses_between_them) {
  runtime rt({.workers = 1});
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t calls = 0;
  for (int burst = 0; burst < 20; ++burst) {
    for (int i = 0; i < 10'000; ++i) rt.run([&] { ++calls; });
    std::this_thread::sleep_for(1ms);
  }
  rt.run([] { std::this_thread::sleep_for(20ms); });
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(calls, 200'000U);
  const double busy = rt.stats().workers[0].busy_seconds;
  EXPECT_GE(busy, 0.020);
  EXPECT_LE(busy, all.count() - 0.015) << "the pauses were 20 ms at least";
}

TEST(lone_worker, is_left_while_the_first_task_from_outside_comes) {
  for (int i = 0; i < 200; ++i) {
    runtime rt({.workers = 1});
    std::atomic<bool> stop{false};
    std::thread caller([&] {
      while (!stop.load()) rt.run([] {});
    });
    EXPECT_EQ(rt.async([] { return 1; }).get(), 1);
    stop.store(true);
    caller.join();
  }
}

}  // namespace
}  // namespace evencube::short_loops_test
