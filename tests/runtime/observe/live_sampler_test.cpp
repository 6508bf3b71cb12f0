// A sampler reports everything since its last sample exactly once, whatever other samplers there
// are.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <evencube/live_sampler.hpp>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::live_sampler_test {
namespace {

std::uint64_t executed(const live_sample& sample) {
  std::uint64_t sum = 0;
  for (const worker_statistics& worker : sample.counters.workers) sum += worker.executed;
  return sum;
}

/// Spawns and runs `tasks` tasks.
void run_tasks(runtime& rt, int tasks) {
  rt.run([&] {
    task_group group;
    for (int i = 0; i < tasks; ++i) group.spawn([] {});
    group.wait();
  });
}

/// Expects the count of `tasks` spawned tasks; a few more may be the runtime's own.
void expect_about(std::uint64_t count, std::uint64_t tasks) {
  EXPECT_GE(count, tasks);
  EXPECT_LE(count, tasks + 2);
}

TEST(live_sampler, tells_what_happened_since_the_last_sample) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  run_tasks(rt, 100);
  live_sampler sampler(rt);
  run_tasks(rt, 300);
  const live_sample first = sampler.sample();
  expect_about(executed(first), 300);
  EXPECT_GT(first.seconds, 0);
  EXPECT_EQ(first.counters.workers.size(), 2U);
  EXPECT_NEAR(first.tasks_per_second() * first.seconds, static_cast<double>(executed(first)), 1e-6);
  EXPECT_NEAR(first.tasks_per_second(0) + first.tasks_per_second(1), first.tasks_per_second(),
              1e-3);
  run_tasks(rt, 50);
  expect_about(executed(sampler.sample()), 50);
  EXPECT_EQ(executed(sampler.sample()), 0U);
}

TEST(live_sampler, minds_neither_resets_nor_other_samplers) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  live_sampler one(rt);
  live_sampler other(rt);
  run_tasks(rt, 200);
  rt.reset_stats();
  expect_about(executed(one.sample()), 200);
  run_tasks(rt, 30);
  expect_about(executed(one.sample()), 30);
  expect_about(executed(other.sample()), 230);
  // The statistics are not affected by the sampler.
  std::uint64_t since_reset = 0;
  for (const worker_statistics& worker : rt.stats().workers) since_reset += worker.executed;
  expect_about(since_reset, 30);
}

TEST(live_sampler, shows_loads_and_who_is_busy) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  live_sampler sampler(rt);
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 40; ++i) group.spawn([] {});
    group.spawn([] {}, {.cost = 5});
    const live_sample full = sampler.sample();
    ASSERT_EQ(full.loads.size(), 1U);
    EXPECT_EQ(full.loads[0], 46);  // includes the task that asks
    group.wait();
  });
  const live_sample done = sampler.sample();
  EXPECT_EQ(done.loads[0], 0);
  // Without work the only worker has no thread: it is not busy from here on.
  const live_sample idle = sampler.sample();
  EXPECT_GE(idle.busy_share(), 0);
  EXPECT_LE(idle.busy_share(), 1);
  EXPECT_THROW(static_cast<void>(idle.busy_share(1)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(idle.tasks_per_second(1)), std::out_of_range);
}

TEST(live_sampler, a_worker_that_computes_is_busy_all_the_time) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  rt.run([&] {
    live_sampler sampler(rt);
    std::uint64_t waste = 0;
    for (std::uint64_t i = 0; i < 100000; ++i) waste = waste * 31 + i;
    const live_sample busy = sampler.sample();
    EXPECT_NEAR(busy.busy_share(0), 1, 1e-6) << waste;
    EXPECT_NEAR(busy.busy_share(), 1, 1e-6);
  });
}

// Every moment is in one sample: the samples add up, whatever the tasks and the threads that
// sample.
TEST(live_sampler, may_be_asked_by_several_threads_while_tasks_run) {
  runtime rt({.workers = 3});
  const test::deadline deadline(rt);
  live_sampler sampler(rt);
  constexpr int tasks = 20000;
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> seen{0};
  std::atomic<std::uint64_t> moved{0};
  const auto ask = [&] {
    const live_sample sample = sampler.sample();
    seen += executed(sample);
    moved += sample.counters.tasks_moved;
    EXPECT_GE(sample.seconds, 0);
    EXPECT_LE(executed(sample), tasks + 10U);
    for (unsigned k = 0; k < 3; ++k) EXPECT_LE(sample.busy_share(k), 1);
  };
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 2; ++i) {
      askers.emplace_back([&] {
        while (!done) ask();
      });
    }
    run_tasks(rt, tasks);
    done = true;
  }
  ask();
  expect_about(seen, tasks);
  EXPECT_EQ(moved, rt.stats().tasks_moved);
}

TEST(live_sample, of_no_time_has_no_rates) {
  live_sample sample;
  sample.counters.workers.resize(2);
  sample.counters.workers[0].executed = 5;
  EXPECT_EQ(sample.tasks_per_second(), 0);
  EXPECT_EQ(sample.busy_share(0), 0);
  EXPECT_EQ(sample.busy_share(), 0);
  sample.seconds = 2;
  sample.counters.workers[0].busy_seconds = 2.5;
  sample.counters.workers[1].busy_seconds = 0.5;
  EXPECT_EQ(sample.tasks_per_second(), 2.5);
  EXPECT_EQ(sample.busy_share(0), 1);
  EXPECT_EQ(sample.busy_share(1), 0.25);
  EXPECT_EQ(sample.busy_share(), 0.625);
}

}  // namespace
}  // namespace evencube::live_sampler_test
