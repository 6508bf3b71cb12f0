#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "deadline.hpp"

// Tasks that count for different costs begin the largest first, whoever takes them.

namespace evencube::largest_first_test {
namespace {

using clock = std::chrono::steady_clock;

void work_for(std::chrono::microseconds time) {
  const auto end = clock::now() + time;
  while (clock::now() < end) {
  }
}

std::vector<unsigned> shuffled_costs(unsigned tasks) {
  std::vector<unsigned> costs;
  for (unsigned i = 1; i <= tasks; ++i) costs.push_back(i);
  std::ranges::shuffle(costs, std::mt19937{tasks});
  return costs;
}

/// The costs of tasks of one group in the order in which a lone worker begins them.
std::vector<unsigned> order_of(bool largest_first, const std::vector<unsigned>& costs,
                               std::chrono::microseconds each) {
  runtime rt({.workers = 1, .largest_first = largest_first});
  const test::deadline deadline(rt);
  std::vector<unsigned> begun;
  rt.run([&] {
    task_group group;
    for (const unsigned cost : costs) {
      group.spawn(
          [&begun, cost, each] {
            begun.push_back(cost);
            work_for(each);
          },
          {.cost = cost});
    }
    group.wait();
  });
  return begun;
}

TEST(largest_first, a_worker_begins_its_largest_tasks_first) {
  const auto costs = shuffled_costs(200);
  const auto begun = order_of(true, costs, std::chrono::microseconds{20});
  ASSERT_EQ(begun.size(), costs.size());
  // It takes every second of the largest until the queue is put in order again.
  EXPECT_GE(begun.front(), 192U);
  const auto mean = [&](std::size_t from, std::size_t to) {
    return std::accumulate(begun.begin() + static_cast<std::ptrdiff_t>(from),
                           begun.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
           static_cast<double>(to - from);
  };
  EXPECT_GT(mean(0, 50), 140);
  EXPECT_GT(mean(50, 100), 100);
  EXPECT_LT(mean(150, 200), 60);
  EXPECT_LT(mean(190, 200), 30);
  auto sorted = begun;
  std::ranges::sort(sorted);
  for (unsigned i = 0; i < 200; ++i) EXPECT_EQ(sorted[i], i + 1);
}

TEST(largest_first, off_it_begins_the_newest) {
  const auto costs = shuffled_costs(200);
  auto begun = order_of(false, costs, std::chrono::microseconds{20});
  std::ranges::reverse(begun);
  EXPECT_EQ(begun, costs);
}

TEST(largest_first, tasks_of_equal_cost_begin_newest_first) {
  const std::vector<unsigned> costs(100, 7);
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  std::vector<int> begun;
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 100; ++i) {
      group.spawn([&begun, i] { begun.push_back(i); }, {.cost = 7});
    }
    group.wait();
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(begun[static_cast<std::size_t>(i)], 99 - i);
}

/// How many of 400 tasks begin before the largest of them does.
int place_of_largest(unsigned workers) {
  runtime rt({.workers = workers});
  const test::deadline deadline(rt);
  std::atomic<int> begun{0};
  std::atomic<int> place{-1};
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 400; ++i) {
      const bool largest = i == 150;  // neither end of the queue
      group.spawn(
          [&, largest] {
            const int mine = begun.fetch_add(1);
            if (largest) place = mine;
            work_for(std::chrono::microseconds{10});
          },
          {.cost = largest ? 1000U : 1U + static_cast<unsigned>(i % 5)});
    }
    group.wait();
  });
  EXPECT_EQ(begun, 400);
  return place;
}

// The longest of all begins while there is much else to do, not last, on whichever worker it is.
// Where it lies on one that the operating system keeps from running, the others go on, and it
// begins late: so it is the median that tells.
TEST(largest_first, the_last_tasks_are_small_on_several_workers) {
  for (const unsigned workers : {2U, 3U, 5U, 8U}) {
    std::vector<int> places(9);
    for (int& place : places) place = place_of_largest(workers);
    std::ranges::nth_element(places, places.begin() + 4);
    EXPECT_LT(places[4], 200) << workers << " workers";
  }
}

// Costs, forks, waits and homes within one another, on as many workers as there may be: each task
// runs once, and every wait ends.
void tree(unsigned depth, std::uint64_t seed, std::atomic<int>& ran, unsigned workers) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  std::mt19937_64 random(seed);
  task_group group;
  for (int i = 0; i < 6; ++i) {
    spawn_options options{.cost = 1 + static_cast<std::uint32_t>(random() % 300)};
    if (random() % 4 == 0) options.home = static_cast<std::int64_t>(random() % workers);
    const std::uint64_t next = random();
    group.spawn([=, &ran] { tree(depth - 1, next, ran, workers); }, options);
  }
  fork_join([&] { ran.fetch_add(1, std::memory_order_relaxed); },
            [&] { ran.fetch_add(1, std::memory_order_relaxed); });
  group.wait();
}

TEST(largest_first, every_task_of_a_tree_runs_once) {
  // Nodes of a tree of six children, four levels below the root; all but the leaves fork twice.
  constexpr int nodes = 1 + 6 + 36 + 216 + 1296;
  constexpr int forks = 2 * (1 + 6 + 36 + 216);
  for (const unsigned workers : {1U, 2U, 3U, 8U, 64U}) {
    for (const char* const balancer : {"oem", "random_stealing", "none", "locality"}) {
      runtime rt({.workers = workers, .balancer = balancer});
      const test::deadline deadline(rt);
      std::atomic<int> ran{0};
      rt.run([&] { tree(4, workers, ran, workers); });
      EXPECT_EQ(ran, nodes + forks) << workers << " workers, " << balancer;
    }
  }
}

// What a hold finds is what the planner predicts, in whatever order the tasks lie.
TEST(largest_first, loads_under_hold_are_exact) {
  runtime rt({.workers = 4, .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  std::atomic<std::uint64_t> ran{0};
  std::uint64_t made = 0;
  task_group group(rt);
  {
    hold_guard still = rt.hold();
    for (unsigned i = 0; i < 300; ++i) {
      const std::uint32_t cost = 1 + i % 17;
      made += cost;
      group.spawn([&ran, cost] { ran += cost; }, {.cost = cost, .home = 0});
    }
    const auto loads = still.loads();
    EXPECT_EQ(static_cast<std::uint64_t>(loads[0]), made);
    static_cast<void>(still.balance());
    std::uint64_t all = 0;
    for (const auto load : still.loads()) all += static_cast<std::uint64_t>(load);
    EXPECT_EQ(all, made);
  }
  group.wait();
  EXPECT_EQ(ran, made);
}

}  // namespace
}  // namespace evencube::largest_first_test
