// Tasks that threads outside spawn: their memory comes and goes with threads and runtimes, their
// number is bounded, and a group hears of its last end though the worker goes on to other work.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::outside_test {
namespace {

using namespace std::chrono_literals;

int spawn_and_wait(runtime& rt, int tasks) {
  std::atomic<int> ran{0};
  task_group group{rt};
  for (int i = 0; i < tasks; ++i) group.spawn([&] { ran.fetch_add(1); });
  group.wait();
  return ran;
}

TEST(outside, one_thread_may_turn_from_one_runtime_to_another) {
  runtime first{{.workers = 2}};
  runtime second{{.workers = 1}};
  const test::deadline deadline(first);
  for (int turn = 0; turn < 200; ++turn) {
    EXPECT_EQ(spawn_and_wait(turn % 2 == 0 ? first : second, 20), 20);
  }
}

TEST(outside, a_thread_may_outlive_the_runtimes_it_spawned_into) {
  std::optional<runtime> rt;
  for (int life = 0; life < 20; ++life) {
    rt.emplace(runtime_options{.workers = 2});
    EXPECT_EQ(spawn_and_wait(*rt, 100), 100);
    rt.reset();
  }
}

TEST(outside, a_runtime_outlives_the_threads_that_spawned_into_it) {
  runtime rt{{.workers = 3}};
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    task_group group{rt};
    {
      std::vector<std::jthread> threads;
      for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&] {
          for (int i = 0; i < 50; ++i) group.spawn([&] { ran.fetch_add(1); });
        });
      }
    }
    group.wait();
  }
  EXPECT_EQ(ran, 20 * 4 * 50);
}

// Nobody else would run them before the wait.
TEST(outside, a_lone_thread_does_not_queue_without_bound) {
  runtime rt{{.workers = 1, .injection_capacity = 64}};
  const test::deadline deadline(rt);
  constexpr int tasks = 200'000;
  std::atomic<int> ran{0};
  task_group group{rt};
  for (int i = 0; i < tasks; ++i) group.spawn([&] { ++ran; });
  // The last ones fill the queue, and one may have been taken that has not ended.
  EXPECT_GE(ran, tasks - 64 - 1);
  group.wait();
  EXPECT_EQ(ran, tasks);
}

// Invariant waiting.ends-later. The only worker runs the short task first and then one
// that lasts until the short one's group has been waited for.
TEST(outside, a_group_hears_of_its_end_before_the_worker_runs_something_else) {
  runtime rt{{.workers = 2}};
  const test::deadline deadline(rt, 120s);
  std::atomic<bool> begun{false};
  std::atomic<bool> queued{false};
  std::atomic<bool> waited{false};
  std::atomic<bool> gave_up{false};
  task_group gate{rt};
  task_group lasting{rt};
  task_group brief{rt};
  gate.spawn([&] {
    begun = true;
    while (!queued) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  lasting.spawn([&] {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!waited && !gave_up) {
      if (std::chrono::steady_clock::now() > end) gave_up = true;
      std::this_thread::yield();
    }
  });
  brief.spawn([] {});
  queued = true;
  brief.wait();
  waited = true;
  EXPECT_FALSE(gave_up);
  lasting.wait();
  gate.wait();
}

}  // namespace
}  // namespace evencube::outside_test
