#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <evencube/evencube.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::task_group_test {
namespace {

class task_group_on : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

TEST_P(task_group_on, runs_every_task_exactly_once) {
  constexpr int n = 20'000;
  std::vector<std::atomic<int>> ran(n);
  rt_.run([&] {
    task_group group;
    for (int i = 0; i < n; ++i) {
      group.spawn([&ran, i] { ++ran[static_cast<std::size_t>(i)]; });
    }
    group.wait();
  });
  for (const auto& times : ran) ASSERT_EQ(times, 1);
}

void spawn_tree(int depth, std::atomic<long>& count) {
  ++count;
  if (depth == 0) return;
  task_group children;
  for (int i = 0; i < 4; ++i) children.spawn([=, &count] { spawn_tree(depth - 1, count); });
  children.wait();
}

TEST_P(task_group_on, nests) {
  std::atomic<long> count{0};
  rt_.run([&] { spawn_tree(6, count); });
  EXPECT_EQ(count, 5461);  // (4^7 - 1) / 3
}

TEST_P(task_group_on, lets_tasks_spawn_into_their_own_group) {
  std::atomic<long> count{0};
  rt_.run([&] {
    task_group group;
    struct spawner {
      task_group& group;
      std::atomic<long>& count;
      void operator()(int depth) const {
        ++count;
        for (int i = 0; i < 3 && depth > 0; ++i) {
          group.spawn([self = *this, depth] { self(depth - 1); });
        }
      }
    };
    spawner{group, count}(7);
    group.wait();
  });
  EXPECT_EQ(count, 3280);  // (3^8 - 1) / 2
}

TEST_P(task_group_on, throws_one_of_the_exceptions_and_runs_the_rest) {
  std::atomic<int> ran{0};
  rt_.run([&] {
    task_group group;
    for (int i = 0; i < 3000; ++i) {
      group.spawn([&ran, i] {
        ++ran;
        if (i % 1000 == 7) throw std::runtime_error("task");
      });
    }
    EXPECT_THROW(group.wait(), std::runtime_error);
    group.spawn([&ran] { ++ran; });
    EXPECT_NO_THROW(group.wait());
  });
  EXPECT_EQ(ran, 3001);
}

TEST_P(task_group_on, honours_home_and_cost) {
  std::atomic<int> ran{0};
  const unsigned workers = GetParam();
  task_group group(rt_);
  {
    const hold_guard held = rt_.hold();
    std::vector<load_type> due(workers, 0);
    for (unsigned i = 0; i < 2000; ++i) {
      group.spawn([&ran] { ++ran; }, {.cost = 1 + i % 9, .home = i % workers});
      due[i % workers] += 1 + i % 9;
    }
    EXPECT_EQ(held.loads(), due);
    EXPECT_THROW(group.spawn([] {}, {.cost = 0}), std::invalid_argument);
    EXPECT_THROW(group.spawn([] {}, {.cost = 65537}), std::invalid_argument);
    EXPECT_THROW(group.spawn([] {}, {.home = workers}), std::invalid_argument);
    EXPECT_EQ(held.loads(), due);
  }
  group.wait();
  EXPECT_EQ(ran, 2000);
}

TEST_P(task_group_on, takes_work_from_outside_threads) {
  std::atomic<int> ran{0};
  std::vector<std::thread> producers;
  for (int p = 0; p < 4; ++p) {
    producers.emplace_back([&] {
      task_group group(rt_);
      for (int i = 0; i < 6000; ++i) group.spawn([&ran] { ++ran; });
      group.wait();
    });
  }
  for (auto& p : producers) p.join();
  EXPECT_EQ(ran, 24'000);
}

TEST_P(task_group_on, async_returns_values_and_exceptions) {
  auto seven = rt_.async([] { return 7; });
  auto fails = rt_.async([]() -> int { throw std::runtime_error("async"); });
  rt_.async([] {});  // dropped, but runs nevertheless
  EXPECT_EQ(seven.get(), 7);
  EXPECT_THROW(fails.get(), std::runtime_error);
  EXPECT_EQ(rt_.run([&] { return rt_.async([] { return 8; }).get(); }), 8);
}

/// A function object larger than a stack.
struct large_function {
  void operator()() const { called->fetch_add(parts[1]); }

  std::atomic<int>* called;
  std::array<int, std::size_t{4} << 20> parts;
};

TEST_P(task_group_on, takes_functions_that_no_stack_could_hold) {
  std::atomic<int> called{0};
  const auto function = std::make_unique<large_function>();
  function->called = &called;
  function->parts[1] = 1;
  task_group outside(rt_);
  outside.spawn(*function);
  outside.wait();
  rt_.run([&] {
    task_group group;
    group.spawn(*function);
    // Beyond 65536 queued tasks, new tasks run at once.
    for (int i = 0; i < 66'000; ++i) group.spawn([] {});
    group.spawn(*function);
    group.wait();
  });
  EXPECT_EQ(called, 3);
}

// Beyond 65536 queued tasks, new tasks run at once, with all the properties of queued ones.
TEST_P(task_group_on, crowds_of_tasks_run_once_each_and_report_failures) {
  constexpr int crowd = 200'000;
  std::vector<std::atomic<unsigned char>> ran(crowd);
  EXPECT_THROW(rt_.run([&] {
    task_group group;
    for (std::size_t i = 0; i < ran.size(); ++i) {
      group.spawn([&ran, i] {
        ++ran[i];
        if (i == ran.size() - 1) throw std::out_of_range("the last");
      });
    }
    group.wait();
  }),
               std::out_of_range);
  for (const auto& times : ran) ASSERT_EQ(times, 1);
}

TEST_P(task_group_on, crowds_of_futures_run_once_each) {
  constexpr int crowd = 70'000;
  std::vector<std::atomic<unsigned char>> ran(crowd);
  const auto kept = std::make_shared<int>(1);
  rt_.run([&] {
    std::vector<future<std::shared_ptr<int>>> all;
    for (std::size_t i = 0; i < ran.size(); ++i) {
      all.push_back(rt_.async([&ran, i, kept] {
        ++ran[i];
        return kept;
      }));
    }
    for (auto& each : all) each.wait();
  });
  for (const auto& times : ran) ASSERT_EQ(times, 1);
  rt_.stop();                      // stop() empties the queues
  EXPECT_EQ(kept.use_count(), 1);  // no result has been kept
}

// A task that runs at once and spawns more tasks than it can does not run on its own stack again.
TEST_P(task_group_on, chains_of_tasks_in_a_crowd_stay_flat) {
  constexpr int links = 200'000;
  std::atomic<int> ran{0};
  rt_.run([&] {
    task_group group;
    for (int i = 0; i < 70'000; ++i) group.spawn([&ran] { ++ran; });
    std::function<void(int)> link = [&](int left) {
      ++ran;
      if (left > 1) group.spawn([&link, left] { link(left - 1); });
    };
    group.spawn([&] { link(links); });
    group.wait();
  });
  EXPECT_EQ(ran, 70'000 + links);
}

TEST_P(task_group_on, several_threads_may_run) {
  std::vector<std::thread> callers;
  std::atomic<long> sum{0};
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        rt_.run([&] { parallel_for(0, 100, [&](int k) { sum += k; }); });
      }
    });
  }
  for (auto& c : callers) c.join();
  EXPECT_EQ(sum, 4 * 20 * 4950);
}

TEST_P(task_group_on, loops_visit_each_index_once) {
  for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{16}}) {
    std::vector<std::atomic<int>> visits(10'007);
    rt_.run([&] {
      parallel_for(std::size_t{0}, visits.size(), [&](std::size_t i) { ++visits[i]; },
                   {.grain = grain});
      parallel_for(5, 5, [](int) { FAIL(); });
      parallel_for(5, 3, [](int) { FAIL(); });
    });
    for (const auto& v : visits) ASSERT_EQ(v, 1);
  }
  std::atomic<int> sum{0};
  rt_.run([&] { parallel_for(-50, 51, [&](int i) { sum += i; }); });
  EXPECT_EQ(sum, 0);
  EXPECT_THROW(rt_.run([&] {
    parallel_for(0, 1000, [](int i) {
      if (i == 500) throw std::out_of_range("body");
    });
  }),
               std::out_of_range);
}

INSTANTIATE_TEST_SUITE_P(workers, task_group_on, testing::ValuesIn(test::worker_counts));

}  // namespace
}  // namespace evencube::task_group_test
