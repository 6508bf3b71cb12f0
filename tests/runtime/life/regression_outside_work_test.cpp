// Between two calls of `run` nobody was worker 0: outside work of N workers had N - 1 threads, or
// none, so that a program that polled waited for ever. And a lone worker took the newest first.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_outside_work_test {
namespace {

using namespace std::chrono_literals;

class outside_work : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_, 120s};
};

/// Polls until `ready` says so; false if that takes far too long.
template <typename Ready>
bool becomes(const Ready& ready) {
  const auto last = std::chrono::steady_clock::now() + 20s;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_P(outside_work, begins_by_itself_while_the_program_polls) {
  auto f = rt_.async([] { return 4; });
  EXPECT_TRUE(becomes([&] { return f.ready(); }));
  EXPECT_EQ(f.get(), 4);
  std::atomic<int> ran{0};
  task_group group(rt_);
  for (unsigned k = 0; k < rt_.workers(); ++k) group.spawn([&] { ++ran; }, {.home = k});
  EXPECT_TRUE(becomes([&] { return ran == static_cast<int>(rt_.workers()); }));
  group.wait();
}

// The caller of `run` takes the slot and gives it back.
TEST_P(outside_work, begins_by_itself_before_between_and_after_runs) {
  for (int n = test::repetitions(100); n > 0; --n) {
    std::atomic<bool> ran{false};
    task_group group(rt_);
    group.spawn([&] { ran = true; });
    if (n % 3 == 0) rt_.run([] {});
    ASSERT_TRUE(becomes([&] { return ran.load(); }));
    group.wait();
    rt_.run([] {});
    deadline_.renew();
  }
}

// Work comes while all workers sleep in waits. Afterwards they have tasks of their own without end,
// from outside or from the tasks that waited.
TEST_P(outside_work, begins_if_it_came_while_all_workers_waited) {
  for (const bool from_outside : {true, false}) {
    std::atomic<unsigned> waiting{0};
    std::atomic<bool> over{false};
    task_group sleepers(rt_);
    task_group renewed(rt_);
    const std::function<void()> again = [&] {
      if (!over) renewed.spawn([&again] { again(); });
    };
    std::vector<promise<void>> awaited;
    for (unsigned k = 0; k < rt_.workers(); ++k) awaited.emplace_back(rt_);
    for (promise<void>& one : awaited) {
      sleepers.spawn([&, until = one.get_future()]() mutable {
        ++waiting;
        until.get();
        if (!from_outside) again();
      });
    }
    ASSERT_TRUE(becomes([&] { return waiting == rt_.workers(); }));
    std::this_thread::sleep_for(20ms);  // so that they most likely sleep
    if (from_outside) {
      for (unsigned k = 0; k < rt_.workers(); ++k) renewed.spawn([&again] { again(); });
    }
    std::atomic<int> ran{0};
    task_group group(rt_);
    for (int i = 0; i < 5; ++i) group.spawn([&] { ++ran; });
    for (promise<void>& one : awaited) one.set_value();
    EXPECT_TRUE(becomes([&] { return ran == 5; }));
    over = true;
    group.wait();
    sleepers.wait();
    renewed.wait();
    deadline_.renew();
  }
}

// As many tasks as workers, each of which lasts until all have begun.
TEST_P(outside_work, of_n_workers_is_done_by_n_threads) {
  for (int round = 0; round < 5 && !HasFailure(); ++round) {
    rt_.run([] {});
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::set<unsigned> workers;
    std::atomic<unsigned> begun{0};
    std::atomic<bool> gave_up{false};
    task_group group(rt_);
    for (unsigned k = 0; k < rt_.workers(); ++k) {
      group.spawn([&] {
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          workers.insert(this_worker());
        }
        ++begun;
        if (!becomes([&] { return gave_up || begun == rt_.workers(); })) gave_up = true;
      });
    }
    // Not by wait(), which may lend this thread: the workers by themselves are enough.
    EXPECT_TRUE(becomes([&] { return begun == rt_.workers(); }));
    group.wait();
    EXPECT_FALSE(gave_up);
    EXPECT_EQ(threads.size(), rt_.workers());
    EXPECT_EQ(workers.size(), rt_.workers());
  }
}

INSTANTIATE_TEST_SUITE_P(workers, outside_work, testing::Values(1, 2, 3, 4, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

// With one worker, the order in which tasks start is the order in which they run.
class outside_order : public testing::TestWithParam<int> {
 protected:
  runtime rt_{{.workers = 1}};
  test::deadline deadline_{rt_};
};

TEST_P(outside_order, is_kept_for_one_producer) {
  const int tasks = GetParam();
  std::vector<int> order;
  task_group group(rt_);
  for (int i = 0; i < tasks; ++i) group.spawn([&order, i] { order.push_back(i); });
  group.wait();
  EXPECT_EQ(order.size(), static_cast<std::size_t>(tasks));
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

// What the worker finds when it has time comes in one go.
TEST_P(outside_order, is_kept_where_all_come_while_the_worker_is_busy) {
  const int tasks = GetParam();
  std::vector<int> order;
  task_group group(rt_);
  rt_.run([&] {
    std::jthread producer([&] {
      for (int i = 0; i < tasks; ++i) group.spawn([&order, i] { order.push_back(i); });
    });
  });
  group.wait();
  EXPECT_EQ(order.size(), static_cast<std::size_t>(tasks));
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_P(outside_order, is_kept_for_each_of_several_producers) {
  const int tasks = GetParam();
  constexpr int producers = 3;
  std::vector<std::vector<int>> order(producers);
  task_group group(rt_);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : order) {
      threads.emplace_back([&] {
        for (int i = 0; i < tasks; ++i) group.spawn([&mine, i] { mine.push_back(i); });
      });
    }
  }
  group.wait();
  for (const auto& mine : order) {
    EXPECT_EQ(mine.size(), static_cast<std::size_t>(tasks));
    EXPECT_TRUE(std::ranges::is_sorted(mine));
  }
}

TEST_P(outside_order, is_kept_for_asyncs) {
  const int tasks = GetParam();
  std::vector<int> order;
  std::vector<future<void>> made;
  for (int i = 0; i < tasks; ++i) {
    made.push_back(rt_.async([&order, i] { order.push_back(i); }));
  }
  for (const auto& f : made) f.wait();
  EXPECT_EQ(order.size(), static_cast<std::size_t>(tasks));
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

INSTANTIATE_TEST_SUITE_P(of, outside_order, testing::Values(2, 3, 7, 40, 1000),
                         [](const auto& c) { return std::to_string(c.param) + "_tasks"; });

}  // namespace
}  // namespace evencube::regression_outside_work_test
