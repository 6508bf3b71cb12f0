#include <gtest/gtest.h>

#include <atomic>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>

#include "deadline.hpp"

// With `runtime_options::pulls` off what moves is the balancer's alone, and every wait still ends.

namespace evencube::pulls_test {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

/// The parts make up the whole, dimension by dimension.
void expect_consistent(const statistics& seen) {
  ASSERT_EQ(seen.moved_by_rounds.size(), seen.moved_by_dimension.size());
  ASSERT_EQ(seen.moved_by_pulls.size(), seen.moved_by_dimension.size());
  ASSERT_EQ(seen.moved_by_rescues.size(), seen.moved_by_dimension.size());
  for (std::size_t i = 0; i < seen.moved_by_dimension.size(); ++i) {
    EXPECT_EQ(seen.moved_by_dimension[i],
              seen.moved_by_rounds[i] + seen.moved_by_pulls[i] + seen.moved_by_rescues[i]);
  }
}

using strategy_case = std::tuple<std::string, std::string>;

std::vector<strategy_case> cases() {
  std::vector<strategy_case> all;
  for (const balancer_descriptor& about : registered_balancers()) {
    if (about.name == "none") continue;
    for (const transmission how : all_transmissions) {
      all.emplace_back(about.name, std::string(to_string(how)));
    }
  }
  return all;
}

class pulls_off : public testing::TestWithParam<strategy_case> {};

// Two workers, all tasks on the first: until the program asks for a round nothing has moved, and
// then what the round says.
TEST_P(pulls_off, only_the_round_that_the_program_asks_for_moves_tasks) {
  const auto& [name, transmission] = GetParam();
  runtime rt({.workers = 2,
              .balancer = name,
              .transmission = transmission,
              .mode = balancer_mode::on_demand,
              .pulls = false});
  const test::deadline deadline(rt);
  constexpr int tasks = 2000;
  std::atomic<int> ran{0};
  statistics before;
  statistics after;
  bool moved = false;
  rt.run([&] {
    // Some strategies want to have seen tasks end everywhere.
    {
      task_group known;
      for (const std::int64_t home : {0, 1}) {
        for (int i = 0; i < 20; ++i) known.spawn([] {}, {.home = home});
      }
      known.wait();
    }
    rt.reset_stats();
    task_group group;
    for (int i = 0; i < tasks; ++i) group.spawn([&ran] { ++ran; });
    before = rt.stats();
    moved = rt.balance();
    after = rt.stats();
    group.wait();
  });
  EXPECT_EQ(ran, tasks);
  EXPECT_EQ(before.tasks_moved, 0U);
  EXPECT_EQ(before.rounds, 0U);
  EXPECT_TRUE(moved);
  EXPECT_EQ(after.rounds, 1U);
  EXPECT_GT(sum(after.moved_by_rounds), 0U);
  EXPECT_EQ(sum(after.moved_by_pulls), 0U);
  EXPECT_GT(after.imbalance_before, 1.0);
  const statistics all = rt.stats();
  expect_consistent(all);
  EXPECT_EQ(sum(all.moved_by_pulls), 0U);
  EXPECT_EQ(all.tasks_moved, sum(all.moved_by_dimension));
}

std::string name_of(const testing::TestParamInfo<strategy_case>& c) {
  return std::get<0>(c.param) + "_" + std::get<1>(c.param);
}

INSTANTIATE_TEST_SUITE_P(with, pulls_off, testing::ValuesIn(cases()), name_of);

// Nobody plans and nobody pulls, yet a worker that waits elsewhere leaves its queue to others.
TEST(pulls, off_does_not_keep_tasks_from_being_rescued) {
  runtime rt({.workers = 2, .mode = balancer_mode::on_demand, .pulls = false});
  const test::deadline deadline(rt);
  std::atomic<bool> inner_ran{false};
  std::atomic<bool> began{false};
  rt.run([&] {
    task_group outer;
    // Worker 1 waits for a task of its own that lies beneath nothing it may run: worker 0's.
    outer.spawn(
        [&] {
          task_group inner;
          inner.spawn([&] { inner_ran = true; }, {.home = 0});
          began = true;
          inner.wait();
        },
        {.home = 1});
    outer.wait();
  });
  EXPECT_TRUE(inner_ran);
  const statistics seen = rt.stats();
  expect_consistent(seen);
  EXPECT_EQ(sum(seen.moved_by_pulls), 0U);
  EXPECT_EQ(sum(seen.moved_by_rounds), 0U);
}

// Worker 1 spawns tasks for itself and then waits for something else: worker 0, which waits for
// those tasks, gets them as rescues, since nothing else is allowed to bring them.
TEST(pulls, off_rescues_are_counted_as_such) {
  runtime rt({.workers = 2, .mode = balancer_mode::on_demand, .pulls = false});
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  rt.run([&] {
    task_group wanted(rt);
    task_group outer(rt);
    std::atomic<bool> spawned{false};
    outer.spawn(
        [&] {
          task_group gate;
          for (int i = 0; i < 10; ++i) wanted.spawn([&ran] { ++ran; });
          gate.spawn([] {}, {.home = 0});
          spawned = true;
          gate.wait();  // its task lies with worker 0
          // None of these ran here: a wait runs only descendants of what it waits for.
        },
        {.home = 1});
    while (!spawned) std::this_thread::yield();
    wanted.wait();
    outer.wait();
  });
  EXPECT_EQ(ran, 10);
  const statistics seen = rt.stats();
  expect_consistent(seen);
  EXPECT_EQ(sum(seen.moved_by_pulls), 0U);
  EXPECT_EQ(sum(seen.moved_by_rounds), 0U);
  EXPECT_EQ(seen.tasks_moved, sum(seen.moved_by_rescues));
  // At the least the task that the gate waited for, which lay with a worker that may not run it.
  EXPECT_GT(seen.tasks_moved, 0U);
}

// The sender's trigger, its queue above the threshold, makes the round: nobody else asks.
TEST(pulls, off_a_sender_above_the_threshold_acts_by_itself) {
  for (const char* name : {"sender_initiated", "gradient"}) {
    runtime rt({.workers = 2,
                .balancer = name,
                .mode = balancer_mode::on_idle,
                .pulls = false,
                .threshold = 100});
    const test::deadline deadline(rt);
    rt.run([&] {
      task_group group;
      // Worker 1 is kept from asking: what moves has been sent.
      std::latch go(1);
      std::atomic<bool> there{false};
      group.spawn(
          [&] {
            there = true;
            go.wait();
          },
          {.home = 1});
      while (!there) std::this_thread::yield();
      rt.reset_stats();
      // Rounds rest after an attempt that may have taken long: until one is due.
      for (int i = 0; i < 1000 || rt.stats().rounds == 0; ++i) group.spawn([] {});
      const statistics seen = rt.stats();
      EXPECT_GT(seen.rounds, 0U) << name;
      EXPECT_GT(sum(seen.moved_by_rounds), 0U) << name;
      EXPECT_EQ(seen.tasks_moved, sum(seen.moved_by_rounds)) << name;
      go.count_down();
      group.wait();
    });
  }
}

// Below it nothing moves, however long the others have nothing to do.
TEST(pulls, off_a_sender_below_the_threshold_keeps_its_tasks) {
  runtime rt({.workers = 2,
              .balancer = "sender_initiated",
              .mode = balancer_mode::on_idle,
              .pulls = false,
              .threshold = 1000});
  const test::deadline deadline(rt);
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 500; ++i) group.spawn([] {});
    group.wait();
  });
  const statistics seen = rt.stats();
  EXPECT_EQ(seen.rounds, 0U);
  EXPECT_EQ(seen.tasks_moved, 0U);
  EXPECT_EQ(seen.workers[0].executed, 500U);
}

// The balancer's thread: it acts on a queue beyond the threshold, and its time is counted.
TEST(pulls, off_the_thread_balances_what_crosses_the_threshold) {
  runtime rt({.workers = 2,
              .balancer = "dem",
              .mode = balancer_mode::thread,
              .pulls = false,
              .threshold = 16});
  const test::deadline deadline(rt);
  rt.run([&] {
    task_group group;
    // It is told at every push, unless it rests; tasks stay until it acts.
    for (int i = 0; i < 1000 || rt.stats().rounds == 0; ++i) group.spawn([] {});
    group.wait();
  });
  const statistics seen = rt.stats();
  EXPECT_GT(sum(seen.moved_by_rounds), 0U);
  EXPECT_EQ(sum(seen.moved_by_pulls), 0U);
  EXPECT_GE(seen.imbalance_before, 1.0);
  EXPECT_GE(seen.imbalance_after, 1.0);
}

TEST(pulls, off_is_refused_for_what_consists_of_pulls) {
  EXPECT_THROW(runtime({.workers = 2, .balancer = "random_stealing", .pulls = false}),
               std::invalid_argument);
  runtime rt({.workers = 2, .pulls = false});
  EXPECT_THROW(rt.use_balancer("random_stealing"), std::invalid_argument);
  rt.use_balancer("dem");
}

// Random stealing takes tasks from workers that are awake.
TEST(pulls, on_are_counted_apart_from_rounds) {
  runtime rt({.workers = 2, .balancer = "random_stealing"});
  const test::deadline deadline(rt);
  rt.run([&] {
    std::latch both(2);
    task_group group;
    // Of two tasks that wait for one another, one must have been taken.
    for (int i = 0; i < 2; ++i) group.spawn([&both] { both.arrive_and_wait(); });
    group.wait();
  });
  const statistics seen = rt.stats();
  expect_consistent(seen);
  EXPECT_GT(sum(seen.moved_by_pulls), 0U);
  EXPECT_EQ(sum(seen.moved_by_rounds), 0U);
}

}  // namespace
}  // namespace evencube::pulls_test
