// An observer is told of every start and end of a worker, every sleep and, if it asks for them, of
// every task, in their order, on the thread that does it; and disturbs nothing, whatever it does.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::observer_test {
namespace {

constexpr unsigned most = 64;

/// Checks the order of what it is told; plain variables: calls about one worker are ordered, too.
class checking : public task_observer {
 public:
  void worker_started(unsigned k) override {
    expect_outside(k);
    EXPECT_FALSE(of_[k].there);
    of_[k].there = true;
    of_[k].thread = std::this_thread::get_id();
    ++starts;
  }
  void worker_stopped(unsigned k) override {
    expect_here(k);
    EXPECT_FALSE(of_[k].asleep);
    EXPECT_EQ(of_[k].depth, 0);
    of_[k].there = false;
    ++stops;
  }
  void worker_parks(unsigned k) override {
    expect_here(k);
    EXPECT_FALSE(of_[k].asleep);
    of_[k].asleep = true;
    ++parks;
  }
  void worker_wakes(unsigned k) override {
    expect_here(k);
    EXPECT_TRUE(of_[k].asleep);
    of_[k].asleep = false;
    ++wakes;
  }
  void task_begins(unsigned k) override {
    expect_here(k);
    EXPECT_FALSE(of_[k].asleep);
    ++of_[k].depth;
    ++begins;
  }
  void task_ended(unsigned k) override {
    expect_here(k);
    EXPECT_GT(of_[k].depth--, 0);
    ++ends;
  }

  std::atomic<std::uint64_t> starts{0};
  std::atomic<std::uint64_t> stops{0};
  std::atomic<std::uint64_t> parks{0};
  std::atomic<std::uint64_t> wakes{0};
  std::atomic<std::uint64_t> begins{0};
  std::atomic<std::uint64_t> ends{0};

 private:
  struct state {
    std::thread::id thread;
    bool there = false;
    bool asleep = false;
    int depth = 0;
  };
  static void expect_outside(unsigned k) {
    EXPECT_LT(k, most);
    EXPECT_FALSE(this_task::worker().has_value());
    EXPECT_EQ(this_task::runtime(), nullptr);
  }
  void expect_here(unsigned k) {
    expect_outside(k);
    EXPECT_TRUE(of_[k].there);
    EXPECT_EQ(of_[k].thread, std::this_thread::get_id());
  }

  std::vector<state> of_ = std::vector<state>(most);
};

class observed_on : public testing::TestWithParam<unsigned> {};

/// Tasks of groups, forks, futures and waits, from within and outside.
void work_on(runtime& rt) {
  std::atomic<int> ran{0};
  for (int n = 0; n < 5; ++n) {
    rt.run([&] {
      task_group group;
      for (int i = 0; i < 200; ++i) {
        group.spawn([&] {
          fork_join([&] { ++ran; }, [&] { ++ran; });
          auto later = rt.async([&] { ++ran; });
          later.wait();
        });
      }
      parallel_for(0, 100, [&](int) { ++ran; });
      group.wait();
    });
    task_group outside(rt);
    for (int i = 0; i < 100; ++i) outside.spawn([&] { ++ran; });
    outside.wait();
    EXPECT_EQ(rt.async([] { return 7; }).get(), 7);
  }
  EXPECT_EQ(ran, 5 * 800);
}

TEST_P(observed_on, is_told_everything_in_order) {
  const auto told = std::make_shared<checking>();
  std::uint64_t executed = 0;
  std::uint64_t parks = 0;
  {
    runtime rt({.workers = GetParam(), .observer = told});
    const test::deadline deadline(rt);
    work_on(rt);
    rt.stop();
    for (const worker_statistics& w : rt.stats().workers) {
      executed += w.executed;
      parks += w.parks;
    }
    EXPECT_EQ(rt.stats().failed_observations, 0U);
  }
  EXPECT_GE(told->starts, GetParam());
  EXPECT_EQ(told->starts, told->stops);
  EXPECT_EQ(told->parks, told->wakes);
  EXPECT_EQ(told->parks, parks);
  EXPECT_EQ(told->begins, told->ends);
  // A call of run is taken from no queue, unless another thread was worker 0 already.
  EXPECT_GE(told->begins, executed);
  EXPECT_LE(told->begins, executed + 5);
}

thread_local int set_by_the_observer = 0;

class setting_up final : public observer {
 public:
  void worker_started(unsigned k) override { set_by_the_observer = static_cast<int>(k) + 1; }
  void worker_stopped(unsigned /*k*/) override { set_by_the_observer = 0; }
};

TEST_P(observed_on, has_prepared_the_thread_of_every_task) {
  runtime rt({.workers = GetParam(), .observer = std::make_shared<setting_up>()});
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  const auto expect_prepared = [&] {
    EXPECT_EQ(set_by_the_observer, static_cast<int>(this_task::worker().value()) + 1);
    ++ran;
  };
  rt.run([&] { parallel_for(0, 1000, [&](int) { expect_prepared(); }); });
  EXPECT_EQ(set_by_the_observer, 0);
  task_group group(rt);
  for (int i = 0; i < 1000; ++i) group.spawn(expect_prepared);
  group.wait();
  EXPECT_EQ(ran, 2000);
}

class throwing final : public task_observer {
 public:
  void worker_started(unsigned /*k*/) override { fail(); }
  void worker_stopped(unsigned /*k*/) override { fail(); }
  void worker_parks(unsigned /*k*/) override { fail(); }
  void worker_wakes(unsigned /*k*/) override { fail(); }
  void task_begins(unsigned /*k*/) override { fail(); }
  void task_ended(unsigned /*k*/) override { fail(); }

  std::atomic<std::uint64_t> calls{0};

 private:
  void fail() {
    ++calls;
    throw std::runtime_error("an observer's");
  }
};

TEST_P(observed_on, may_throw_and_is_counted) {
  const auto throws = std::make_shared<throwing>();
  runtime rt({.workers = GetParam(), .observer = throws});
  const test::deadline deadline(rt);
  work_on(rt);
  rt.stop();
  EXPECT_GT(throws->calls, 0U);
  EXPECT_EQ(rt.stats().failed_observations, throws->calls);
  rt.reset_stats();
  EXPECT_EQ(rt.stats().failed_observations, 0U);
}

// What an exception of a task is, and what is dropped, is told as any other task.
TEST_P(observed_on, is_told_of_tasks_that_throw_and_of_those_that_are_dropped) {
  const auto told = std::make_shared<checking>();
  {
    runtime rt({.workers = GetParam(), .observer = told});
    const test::deadline deadline(rt);
    task_group group(rt);
    for (int i = 0; i < 50; ++i) group.spawn([] { throw std::runtime_error("a task's"); });
    EXPECT_THROW(group.wait(), std::runtime_error);
    group.request_stop();
    for (int i = 0; i < 50; ++i) group.spawn([] { FAIL(); });
    EXPECT_EQ(group.wait(), wait_status::stopped);
    EXPECT_THROW(rt.run([] { throw std::runtime_error("run's"); }), std::runtime_error);
  }
  EXPECT_EQ(told->begins, 101U);
  EXPECT_EQ(told->ends, 101U);
}

// Recording and observing share what looks at tasks: one ends, the other goes on.
TEST_P(observed_on, is_told_of_tasks_while_they_are_recorded_and_afterwards) {
  const auto told = std::make_shared<checking>();
  {
    runtime rt({.workers = GetParam(), .observer = told});
    const test::deadline deadline(rt);
    task_group group(rt);
    for (int n = 0; n < 3; ++n) {
      if (n == 1) rt.start_recording();
      for (int i = 0; i < 20; ++i) group.spawn([] {});
      group.wait();
      if (n == 1) {
        EXPECT_EQ(rt.stop_recording().tasks.size(), 20U);
      }
    }
  }
  EXPECT_EQ(told->begins, 60U);
  EXPECT_EQ(told->ends, 60U);
}

INSTANTIATE_TEST_SUITE_P(workers, observed_on, testing::Values(1U, 2U, 3U, 8U),
                         [](const auto& of) { return std::to_string(of.param) + "_workers"; });

}  // namespace
}  // namespace evencube::observer_test
