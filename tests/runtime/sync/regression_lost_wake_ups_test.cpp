// Three cases in which a worker slept on next to the work it waited for: work from outside that
// came after its last check, work of worker 0 that became free when the caller of `run` left, and
// tasks sent to worker 0 at that moment.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <optional>
#include <string>
#include <thread>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_lost_wake_ups_test {
namespace {

class lost_wake_ups : public testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] unsigned workers() const { return GetParam(); }
  [[nodiscard]] int rounds(int usual) const {
    return test::repetitions(workers() > 8 ? usual / 10 : usual);
  }
};

// All workers wait for a group into which a thread outside spawns at that moment.
TEST_P(lost_wake_ups, by_waiters_for_a_group_that_a_thread_outside_spawns_into) {
  if (workers() == 1) GTEST_SKIP() << "needs two workers";
  runtime rt{{.workers = workers()}};
  test::deadline deadline(rt);
  for (int n = rounds(200); n > 0; --n) {
    const unsigned all = workers();
    task_group late(rt);
    std::atomic<unsigned> in{0};
    std::atomic<bool> ran{false};
    std::jthread outside([&] {
      while (in < all) std::this_thread::yield();
      late.spawn([&] { ran = true; });
      in = all + 1;
    });
    rt.run([&] {
      task_group group;
      const auto waiter = [&] {
        ++in;
        while (in <= all) std::this_thread::yield();
        late.wait();
        EXPECT_TRUE(ran);
      };
      for (unsigned k = 1; k < all; ++k) group.spawn(waiter, {.home = k});
      waiter();
      group.wait();
    });
    deadline.renew();
  }
}

// The same wait, without a pause between the outside thread's check and the waiters' sleep: the
// more tasks there are, the more often the two coincide.
TEST_P(lost_wake_ups, by_waiters_while_a_thread_outside_goes_on_spawning) {
  runtime rt{{.workers = workers()}};
  test::deadline deadline(rt);
  for (int n = rounds(60); n > 0; --n) {
    constexpr int tasks = 50;
    task_group late(rt);
    std::atomic<int> ran{0};
    std::jthread outside([&] {
      for (int i = 0; i < tasks; ++i) {
        late.spawn([&] { ++ran; });
        if (i % 8 == 0) std::this_thread::yield();
      }
    });
    rt.run([&] {
      task_group group;
      for (unsigned k = 1; k < workers(); ++k) {
        group.spawn(
            [&] {
              while (ran < tasks) late.wait();
            },
            {.home = k});
      }
      while (ran < tasks) late.wait();
      group.wait();
    });
    EXPECT_EQ(ran, tasks);
    deadline.renew();
  }
}

// A task of the last worker waits for a task that is queued at worker 0, whose caller leaves
// meanwhile.
TEST_P(lost_wake_ups, by_a_waiter_when_the_caller_of_run_leaves) {
  for (const balancer_mode mode : {balancer_mode::on_demand, balancer_mode::automatic}) {
    runtime rt{{.workers = workers(), .mode = mode}};
    test::deadline deadline(rt);
    for (int n = rounds(400); n > 0; --n) {
      std::atomic<bool> in{false};
      std::optional<future<int>> f;
      rt.run([&] {
        f.emplace(rt.async(
            [&] {
              task_group group(rt);
              group.spawn([] {}, {.home = 0});
              in = true;
              group.wait();
              return 1;
            },
            {.home = rt.workers() - 1}));
        // With one worker, the task begins after this one has left.
        while (!in && rt.workers() > 1) std::this_thread::yield();
      });
      EXPECT_EQ(f->get(), 1);
      deadline.renew();
    }
  }
}

// The same wait, but it is left to chance whether the task has begun when the caller leaves.
TEST_P(lost_wake_ups, by_a_waiter_that_may_begin_when_the_caller_of_run_leaves) {
  runtime rt{{.workers = workers(), .mode = balancer_mode::on_demand}};
  test::deadline deadline(rt);
  for (int n = rounds(1500); n > 0; --n) {
    std::optional<future<int>> f;
    rt.run([&] {
      f.emplace(rt.async([&] {
        task_group group(rt);
        group.spawn([] {}, {.home = 0});
        group.wait();
        return 1;
      }));
    });
    EXPECT_EQ(f->get(), 1);
    deadline.renew();
  }
}

// Threads outside and tasks send to worker 0 and wait, while callers of `run` come and go.
TEST_P(lost_wake_ups, by_tasks_sent_to_worker_0_while_its_slot_is_left) {
  runtime rt{{.workers = workers()}};
  test::deadline deadline(rt);
  const int last = rounds(400);
  std::atomic<bool> over{false};
  std::atomic<int> ran{0};
  std::jthread comes_and_goes([&] {
    while (!over) rt.run([] {});
  });
  for (int n = 0; n < last; ++n) {
    task_group group(rt);
    group.spawn([&] { ++ran; }, {.home = 0});
    group.wait();
    rt.async(
          [&] {
            task_group inside;
            inside.spawn([&] { ++ran; }, {.home = 0});
            inside.wait();
          },
          {.home = rt.workers() - 1})
        .get();
    deadline.renew();
  }
  over = true;
  EXPECT_EQ(ran, 2 * last);
}

INSTANTIATE_TEST_SUITE_P(workers, lost_wake_ups, testing::Values(1, 2, 3, 4, 8, 16, 64),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_lost_wake_ups_test
