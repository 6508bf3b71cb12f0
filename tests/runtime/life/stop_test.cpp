// runtime::stop(): running tasks end, tasks that have not begun are dropped and report it, and no
// thread hangs, from whatever thread and at whatever moment it is called.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"
#include "threads_of_process.hpp"

namespace evencube::stop_test {
namespace {

using namespace std::chrono_literals;

/// Runs until the runtime is stopped.
void until_stopped() {
  while (!this_task::stop_requested()) std::this_thread::sleep_for(100us);
}

class stopped_runtime : public testing::TestWithParam<unsigned> {
 protected:
  /// Makes every worker run a task that goes on until the runtime is stopped.
  void keep_all_busy(task_group& group) {
    std::latch begun(GetParam());
    for (unsigned k = 0; k < GetParam(); ++k) {
      group.spawn([&] {
        begun.count_down();
        until_stopped();
      });
    }
    begun.wait();
  }
  void expect_refusals(runtime& rt, task_group& outside) {
    EXPECT_TRUE(rt.stopped());
    EXPECT_THROW(outside.spawn([] { ADD_FAILURE(); }), error);
    EXPECT_THROW(outside.spawn([] { ADD_FAILURE(); }, {.home = GetParam() - 1}), error);
    EXPECT_THROW(outside.spawn([] { ADD_FAILURE(); }, {.priority = priority::high}), error);
    EXPECT_THROW(static_cast<void>(rt.async([] { ADD_FAILURE(); }, {.priority = priority::low})),
                 error);
    EXPECT_THROW(static_cast<void>(rt.async([] { ADD_FAILURE(); })), error);
    EXPECT_THROW(rt.run([] { ADD_FAILURE(); }), error);
    EXPECT_THROW(static_cast<void>(rt.hold()), error);
    EXPECT_THROW(rt.start_recording(), error);
  }

  std::size_t threads_before_ = test::threads_of_process();
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_, 60s};
};

TEST_P(stopped_runtime, runs_what_has_begun_and_drops_the_rest) {
  task_group group(rt_);
  task_group busy(rt_);
  keep_all_busy(busy);
  std::atomic<int> ran{0};
  const auto kept = std::make_shared<int>(1);
  for (int i = 0; i < 500; ++i) {
    group.spawn([&ran, kept] { ++ran; }, {.cost = 2});
    group.spawn([&ran, kept] { ++ran; }, {.home = static_cast<unsigned>(i) % GetParam()});
    group.spawn([&ran, kept] { ++ran; }, {.priority = i % 2 == 0 ? priority::high : priority::low});
  }
  EXPECT_FALSE(rt_.stopped());
  rt_.stop();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(kept.use_count(), 1);  // their functions have been destroyed
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_TRUE(group.stop_requested());
  EXPECT_EQ(busy.wait(), wait_status::stopped);
  expect_refusals(rt_, group);
}

TEST_P(stopped_runtime, has_no_threads) {
  rt_.async([] {}).get();
  EXPECT_GT(test::threads_of_process(), GetParam());
  rt_.stop();
  // the thread of the deadline
  EXPECT_LE(test::threads_of_process(threads_before_ + 1), threads_before_ + 1);
  rt_.stop();
}

TEST_P(stopped_runtime, may_never_have_been_used) {
  rt_.stop();
  task_group group(rt_);
  EXPECT_EQ(group.wait(), wait_status::stopped);
  expect_refusals(rt_, group);
}

TEST_P(stopped_runtime, gives_futures_their_value_or_an_error) {
  task_group busy(rt_);
  future<int> ended = rt_.async([] { return 1; });
  ended.wait();
  keep_all_busy(busy);
  future<int> dropped = rt_.async([] { return 2; });
  future<int> continued = rt_.async([] { return 3; }).then([](int) { return 4; });
  std::vector<future<int>> several;
  several.push_back(rt_.async([] { return 5; }));
  several.push_back(rt_.async([] { return 6; }));
  auto all = when_all(std::move(several));
  std::thread waiter([&] { EXPECT_THROW(dropped.get(), error); });
  rt_.stop();
  waiter.join();
  EXPECT_EQ(ended.get(), 1);
  EXPECT_THROW(continued.get(), error);
  for (auto& each : all.get()) EXPECT_THROW(each.get(), error);
  future<int> ready = make_ready_future(7);
  EXPECT_EQ(ready.get(), 7);
}

TEST_P(stopped_runtime, continues_no_future) {
  future<int> ended = rt_.async([] { return 1; });
  ended.wait();
  rt_.stop();
  EXPECT_THROW(static_cast<void>(ended.then([](int) {})), error);
}

TEST_P(stopped_runtime, does_not_call_a_function_that_waits_to_be_run) {
  task_group busy(rt_);
  keep_all_busy(busy);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] { EXPECT_THROW(rt_.run([] { ADD_FAILURE(); }), error); });
  }
  rt_.stop();
  for (auto& c : callers) c.join();
}

TEST_P(stopped_runtime, lets_forks_and_loops_of_what_has_begun_come_to_their_ends) {
  std::atomic<bool> begun{false};
  std::atomic<int> visits{0};
  std::thread caller([&] {
    rt_.run([&] {
      begun = true;
      begun.notify_all();
      until_stopped();
      parallel_for(0, 1000, [&](int) { ++visits; });
      fork_join([&] { ++visits; }, [&] { ++visits; });
      task_group group;
      group.spawn([] { ADD_FAILURE(); });
      EXPECT_EQ(group.wait(), wait_status::stopped);
      future<int> inner = rt_.async([] { return 1; });
      EXPECT_THROW(inner.get(), error);
      EXPECT_THROW(rt_.stop(), error);
      EXPECT_EQ(rt_.run([&] { return ++visits; }), 1003);  // a plain call
    });
  });
  begun.wait(false);
  rt_.stop();
  EXPECT_EQ(visits, 1003);
  caller.join();
}

TEST_P(stopped_runtime, is_not_stopped_from_inside) {
  rt_.run([&] { EXPECT_THROW(rt_.stop(), error); });
  task_group group(rt_);
  group.spawn([&] { EXPECT_THROW(rt_.stop(), error); });
  EXPECT_EQ(group.wait(), wait_status::completed);
  EXPECT_FALSE(rt_.stopped());
  EXPECT_EQ(rt_.async([] { return 1; }).get(), 1);
}

TEST_P(stopped_runtime, is_stopped_by_many_threads_at_once) {
  task_group busy(rt_);
  keep_all_busy(busy);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      rt_.stop();
      EXPECT_EQ(busy.wait(), wait_status::stopped);
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_LE(test::threads_of_process(threads_before_ + 1), threads_before_ + 1);
}

TEST_P(stopped_runtime, waits_for_who_holds_it) {
  std::thread stopper;
  task_group group(rt_);
  {
    const hold_guard held = rt_.hold();
    EXPECT_THROW(rt_.stop(), error);
    EXPECT_FALSE(rt_.stopped());
    group.spawn([] {});
    stopper = std::thread([&] { rt_.stop(); });
    const auto refused = [&] {
      try {
        group.spawn([] {});
        return false;
      } catch (const error&) {
        return true;
      }
    };
    // Where a shorter sleep is none, too many tasks would come before the thread begins.
    while (!refused()) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(rt_.stopped());
    EXPECT_EQ(held.tasks().size(), GetParam());
  }
  stopper.join();
  EXPECT_EQ(group.wait(), wait_status::stopped);
}

TEST_P(stopped_runtime, still_tells_what_it_knows) {
  rt_.start_recording();
  rt_.run([&] { parallel_for(0, 100, [](int) {}); });
  std::uint64_t executed = 0;
  for (const auto& w : rt_.stats().workers) executed += w.executed;
  rt_.stop();
  std::uint64_t after = 0;
  for (const auto& w : rt_.stats().workers) after += w.executed;
  EXPECT_EQ(after, executed);
  EXPECT_FALSE(rt_.balance());
  EXPECT_NO_THROW(rt_.use_balancer("dem"));
  EXPECT_NE(rt_.describe(), "");
  EXPECT_FALSE(rt_.stop_recording().tasks.empty());
  EXPECT_THROW(static_cast<void>(rt_.stop_recording()), error);
}

TEST_P(stopped_runtime, is_stopped_by_a_task_of_another_which_it_does_not_wait_for) {
  runtime other({.workers = 2});
  task_group busy(rt_);
  keep_all_busy(busy);
  other.run([&] { rt_.stop(); });
  EXPECT_TRUE(rt_.stopped());
  runtime third({.workers = GetParam()});
  third.run([&] {
    // The task of `other` would wait for this task, which waits for it.
    other.run([&] { EXPECT_THROW(third.stop(), error); });
  });
  EXPECT_FALSE(third.stopped());
}

/// Counts its objects that are alive.
struct counted {
  explicit counted(std::atomic<long>& of) : alive(&of) { ++of; }
  counted(const counted& other) : alive(other.alive) { ++*alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
  std::atomic<long>* alive;
};

task<int> twice(runtime& rt, counted kept) {
  auto half = rt.async([kept] { return 5; });
  const int value = co_await half;
  co_await rt.schedule();
  co_return 2 * value;
}

// The coroutine goes on in the other runtime, and in the end continues a future of the stopped
// runtime.
TEST_P(stopped_runtime, waits_for_a_coroutine_that_is_suspended_elsewhere) {
  runtime other({.workers = 2});
  std::atomic<bool> suspended{false};
  std::atomic<bool> go{false};
  const auto elsewhere = [](runtime& at, std::atomic<bool>& here,
                            const std::atomic<bool>& on) -> task<int> {
    auto slow = at.async([&on] {
      on.wait(false);
      return 1;
    });
    here = true;
    here.notify_all();
    co_return co_await slow;
  };
  future<int> begun = start(rt_, elsewhere(other, suspended, go));
  std::atomic<bool> continued{false};
  future<void> last = begun.then([&](int) { continued = true; });
  suspended.wait(false);
  std::thread stopper([&] { rt_.stop(); });
  // `stopped` is true a moment before tasks are dropped. A refused call finds them dropped.
  const auto refused = [&] {
    try {
      rt_.run([] {});
      return false;
    } catch (const error&) {
      return true;
    }
  };
  while (!refused()) std::this_thread::sleep_for(1ms);
  go = true;
  go.notify_all();
  stopper.join();
  EXPECT_THROW(last.get(), error);
  EXPECT_FALSE(continued);
}

TEST_P(stopped_runtime, may_be_stopped_at_any_moment) {
  std::mt19937 random(GetParam());
  for (int round = 0; round < test::repetitions(20); ++round) {
    const auto pause = std::chrono::microseconds(random() % 2000);
    const char* const balancer = round % 3 == 0 ? "none" : round % 3 == 1 ? "oem" : "locality";
    runtime rt({.workers = GetParam(), .balancer = balancer, .injection_capacity = 16});
    const test::deadline deadline(rt, 60s);
    std::atomic<long> accepted{0};
    std::atomic<long> ran{0};
    std::atomic<long> alive{0};
    const auto work = [&](task_group& group, unsigned seed) {
      for (std::mt19937 mine(seed);;) {
        switch (mine() % 8) {
          case 0:
            group.spawn([&, c = counted(alive)] { ++ran; });
            ++accepted;
            break;
          case 1:
            group.spawn([&, c = counted(alive)] { ++ran; },
                        {.home = static_cast<unsigned>(mine()) % GetParam()});
            ++accepted;
            break;
          case 2:
            group.wait();
            break;
          case 6:
            group.spawn([&, c = counted(alive)] { ++ran; },
                        {.priority = mine() % 2 == 0 ? priority::high : priority::low});
            ++accepted;
            break;
          case 7: {
            auto value = start(rt, twice(rt, counted(alive)), {.priority = priority::low});
            EXPECT_EQ(value.get(), 10);
            break;
          }
          case 3: {
            auto value = rt.async([c = counted(alive)] { return 5; });
            EXPECT_EQ(value.get(), 5);
            break;
          }
          case 4:
            rt.run([&] {
              fork_join([] {}, [] {});
              task_group inner;
              inner.spawn([c = counted(alive)] {});
              inner.wait();
            });
            break;
          default: {
            auto value = rt.async([c = counted(alive)] { return 2; }).then([](int x) { return x; });
            EXPECT_EQ(value.get(), 2);
          }
        }
      }
    };
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t) {
      threads.emplace_back([&, seed = static_cast<unsigned>(random())] {
        task_group group(rt);
        try {
          work(group, seed);
        } catch (const error&) {
          EXPECT_TRUE(rt.stopped());
        }
        EXPECT_EQ(group.wait(), wait_status::stopped);
      });
    }
    std::this_thread::sleep_for(pause);
    std::thread second([&] { rt.stop(); });
    rt.stop();
    second.join();
    for (auto& t : threads) t.join();
    EXPECT_EQ(alive, 0);
    EXPECT_LE(ran, accepted);
  }
}

// The stopping thread is between two steps for some hundred nanoseconds.
TEST_P(stopped_runtime, has_stopped_the_groups_of_whom_run_refuses) {
  for (int round = 0; round < test::repetitions(50); ++round) {
    runtime rt({.workers = GetParam()});
    const test::deadline deadline(rt, 60s);
    std::thread caller([&] {
      task_group group(rt);
      EXPECT_THROW(for (;;) rt.run([] {}), error);
      EXPECT_EQ(group.wait(), wait_status::stopped);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(round % 50));
    rt.stop();
    caller.join();
  }
}

/// Stops the runtime in a round, and counts the refusals.
class stopper final : public balancer {
 public:
  static inline std::atomic<runtime*> stopped{nullptr};
  static inline std::atomic<int> refusals{0};

  [[nodiscard]] std::string_view name() const noexcept override { return "stopper"; }
  void make_plan(const balance_request&, plan& out) const override {
    reset_plan(out, 0);
    if (runtime* const rt = stopped.exchange(nullptr); rt != nullptr) {
      try {
        rt->stop();
      } catch (const error&) {
        ++refusals;
      }
    }
  }
};

TEST(stop, is_refused_to_a_balancer_whoever_calls_it) {
  balancer_descriptor about;
  about.name = "stopper";
  about.summary = "stops the runtime";
  about.make = [](const balancer_options&) { return std::make_unique<stopper>(); };
  register_balancer(about);
  for (const auto mode : {balancer_mode::thread, balancer_mode::on_idle}) {
    runtime rt({.workers = 2, .balancer = "stopper", .mode = mode});
    const test::deadline deadline(rt);
    stopper::refusals = 0;
    stopper::stopped = &rt;
    // A worker that runs dry asks for a round.
    while (stopper::refusals == 0) rt.run([&] { parallel_for(0, 100, [](int) {}); });
    EXPECT_FALSE(rt.stopped());
  }
}

INSTANTIATE_TEST_SUITE_P(workers, stopped_runtime, testing::ValuesIn(test::worker_counts),
                         [](const auto& one) { return std::to_string(one.param) + "_workers"; });

}  // namespace
}  // namespace evencube::stop_test
