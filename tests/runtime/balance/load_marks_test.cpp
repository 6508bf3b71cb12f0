#include <gtest/gtest.h>

#include <atomic>
#include <evencube/balancers/options.hpp>
#include <evencube/evencube.hpp>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

// The marks that an event-driven strategy has among its options call it on threads, in place of
// `runtime_options::threshold`.

namespace evencube {
namespace {

TEST(load_marks, are_what_the_options_say) {
  const auto marks = [](const auto& options) { return make_balancer(options)->marks(); };
  EXPECT_EQ(marks(sender_initiated_options{.high = 10}), (load_marks{.high = 10}));
  EXPECT_EQ(marks(receiver_initiated_options{.low = 200}),
            (load_marks{.high = std::nullopt, .low = 200}));
  EXPECT_EQ(marks(gradient_options{.low = 5, .high = 9}), (load_marks{.high = 9, .low = 5}));
  EXPECT_EQ(marks(dispatcher_options{.low = 200}), (load_marks{.high = std::nullopt, .low = 200}));
  EXPECT_EQ(marks(sender_initiated_options{}), load_marks{});
  EXPECT_EQ(marks(oem_options{}), load_marks{});
}

/// The rounds of a program in which worker 0 spawns tasks and ends none before the last has been
/// spawned: `tasks` of them, and more while there are fewer than `expected` rounds. After a round
/// the next has to wait for a time that a slow machine makes long. No worker pulls, and the other
/// worker is busy from the beginning.
std::uint64_t rounds_of(const std::string& balancer, const balancer_options& options,
                        balancer_mode mode, std::uint64_t threshold, int tasks,
                        std::uint64_t expected) {
  runtime rt({.workers = 2,
              .balancer = balancer,
              .options = options,
              .mode = mode,
              .pulls = false,
              .pin = false,
              .threshold = threshold});
  const test::deadline deadline(rt);
  std::atomic<bool> other_runs{false};
  std::atomic<bool> spawned{false};
  std::uint64_t rounds = 0;
  rt.run([&] {
    task_group group;
    group.spawn(
        [&] {
          other_runs = true;
          other_runs.notify_all();
          spawned.wait(false);
        },
        {.home = 1});
    other_runs.wait(false);
    rt.reset_stats();
    for (int i = 0; i < tasks || rt.stats().rounds < expected; ++i) {
      if (i >= tasks) std::this_thread::yield();
      group.spawn([&] { spawned.wait(false); });
    }
    rounds = rt.stats().rounds;
    spawned = true;
    spawned.notify_all();
    group.wait();
  });
  return rounds;
}

constexpr auto never = std::numeric_limits<std::uint64_t>::max();

TEST(load_marks, of_a_sender_call_it) {
  for (const balancer_mode mode : {balancer_mode::on_idle, balancer_mode::thread}) {
    EXPECT_GT(
        rounds_of("sender_initiated", sender_initiated_options{.high = 10}, mode, never, 196, 1),
        0U);
    EXPECT_GT(rounds_of("gradient", gradient_options{.low = 5, .high = 10}, mode, never, 196, 1),
              0U);
  }
  EXPECT_EQ(rounds_of("sender_initiated", sender_initiated_options{.high = 300},
                      balancer_mode::on_idle, 10, 196, 0),
            0U);
  EXPECT_GT(rounds_of("sender_initiated", {}, balancer_mode::on_idle, 10, 196, 1), 0U);
}

// Both workers have tasks all the time. Worker 1 falls below the mark before it runs dry: its last
// tasks spawn others until there has been a round.
TEST(load_marks, of_a_receiver_call_it_before_it_runs_dry) {
  for (const std::string balancer : {"receiver_initiated", "dispatcher"}) {
    runtime rt({.workers = 2,
                .balancer = balancer,
                .options = {{"low", "20"}},
                .mode = balancer_mode::on_idle,
                .pulls = false,
                .pin = false});
    const test::deadline deadline(rt);
    std::atomic<bool> release{false};
    std::atomic<int> left{30};
    rt.run([&] {
      task_group group;
      task_group others;
      // Worker 0 stays in this task, so only rounds take these from it.
      for (int i = 0; i < 200; ++i) group.spawn([] {});
      const auto one = [&](const auto& self) -> void {
        if (--left >= 5) return;
        if (rt.stats().rounds == 0) {
          ++left;
          others.spawn([&] { self(self); }, {.home = 1});
          return;
        }
        release = true;
        release.notify_all();
      };
      for (int i = 0; i < 30; ++i) others.spawn([&] { one(one); }, {.home = 1});
      release.wait(false);
      others.wait();
      group.wait();
    });
    EXPECT_GT(rt.stats().rounds, 0U) << balancer;
  }
}

/// Worker 1 stays below the mark, and its first calls find nothing, because worker 0 has no tasks.
/// It has to call again when that has changed: from its loop, or from a wait within a task.
void call_again(const std::string& balancer, const balancer_options& options, balancer_mode mode,
                bool from_wait) {
  runtime rt({.workers = 2,
              .balancer = balancer,
              .options = options,
              .mode = mode,
              .pulls = false,
              .pin = false});
  const test::deadline deadline(rt);
  std::atomic<int> began{0};
  const auto goes_on = [&](task_group& group, const auto& self) -> void {
    ++began;
    began.notify_all();
    if (rt.stats().rounds == 0) group.spawn([&] { self(group, self); });
  };
  rt.run([&] {
    task_group others;
    others.spawn(
        [&] {
          if (!from_wait) return goes_on(others, goes_on);
          task_group below;
          below.spawn([&] { goes_on(below, goes_on); });
          below.wait();
        },
        {.home = 1});
    for (int seen = 0; seen < 1000; seen = began) began.wait(seen);
    EXPECT_EQ(rt.stats().rounds, 0U);
    // Worker 0 stays in this task, so only a round ends the others.
    task_group group;
    for (int i = 0; i < 200; ++i) group.spawn([] {});
    while (rt.stats().rounds == 0) std::this_thread::yield();
    others.wait();
    group.wait();
  });
}

TEST(load_marks, call_again_while_the_load_stays_beyond_them) {
  for (const balancer_mode mode : {balancer_mode::on_idle, balancer_mode::thread}) {
    for (const bool from_wait : {false, true}) {
      call_again("receiver_initiated", receiver_initiated_options{.low = 20}, mode, from_wait);
      call_again("dispatcher", dispatcher_options{.low = 20}, mode, from_wait);
      // Worker 0 sends here, because it is above the high mark when worker 1 calls.
      call_again("gradient", gradient_options{.low = 20, .high = 100}, mode, from_wait);
    }
  }
}

}  // namespace
}  // namespace evencube
