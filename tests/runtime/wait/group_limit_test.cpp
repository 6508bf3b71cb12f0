// Waits for a group with a limit: they end with the group, or when the time has passed, and then
// leave the group as it was (invariant waiting.limit).
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "deadline.hpp"

namespace evencube::group_limit_test {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;
using namespace std::chrono_literals;

class group_limit : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

/// A task that goes on until it is released.
struct busy_task {
  std::latch begun{1};
  std::latch released{1};

  void operator()() {
    begun.count_down();
    released.wait();
  }
};

TEST_P(group_limit, is_not_reached_if_the_group_ends) {
  std::atomic<int> ran{0};
  const auto spawn_some = [&](task_group& group) {
    for (int i = 0; i < 1000; ++i) group.spawn([&] { ++ran; });
  };
  rt_.run([&] {
    task_group group;
    EXPECT_EQ(group.wait_for(0ns), wait_status::completed);  // it is empty
    spawn_some(group);
    EXPECT_EQ(group.wait_for(1h), wait_status::completed);
    EXPECT_EQ(ran, 1000);
    spawn_some(group);
    EXPECT_EQ(group.wait_until(steady_clock::now() + 1h), wait_status::completed);
    EXPECT_EQ(ran, 2000);
  });
  task_group group(rt_);
  spawn_some(group);
  EXPECT_EQ(group.wait_for(std::chrono::hours::max()), wait_status::completed);
  EXPECT_EQ(ran, 3000);
  spawn_some(group);
  EXPECT_EQ(group.wait_until(system_clock::time_point::max()), wait_status::completed);
  EXPECT_EQ(ran, 4000);
  spawn_some(group);
  rt_.run([&] { EXPECT_EQ(group.wait_for(1h), wait_status::completed); });
  EXPECT_EQ(ran, 5000);
}

TEST_P(group_limit, ends_waits_outside_while_tasks_go_on) {
  busy_task busy;
  task_group group(rt_);
  group.spawn([&] { busy(); });
  busy.begun.wait();
  const auto before = steady_clock::now();
  EXPECT_EQ(group.wait_for(2ms), std::nullopt);
  EXPECT_GE(steady_clock::now() - before, 2ms);
  EXPECT_EQ(group.wait_until(system_clock::now() + 1ms), std::nullopt);
  EXPECT_EQ(group.wait_for(-1h), std::nullopt);
  EXPECT_EQ(group.wait_until(steady_clock::time_point::min()), std::nullopt);
  EXPECT_EQ(group.wait_until(steady_clock::time_point()), std::nullopt);
  busy.released.count_down();
  EXPECT_EQ(group.wait_for(1h), wait_status::completed);
}

// Below other waits: the limit of the innermost wait holds, whatever is waited for around it.
TEST_P(group_limit, ends_waits_of_workers_while_others_work) {
  if (GetParam() == 1) return;
  busy_task busy;
  task_group shared(rt_);
  shared.spawn([&] { busy(); });
  busy.begun.wait();
  rt_.run([&] {
    task_group outer;
    outer.spawn([&] {
      const auto before = steady_clock::now();
      EXPECT_EQ(shared.wait_for(2ms), std::nullopt);
      EXPECT_GE(steady_clock::now() - before, 2ms);
    });
    EXPECT_EQ(outer.wait(), wait_status::completed);
  });
  busy.released.count_down();
  EXPECT_EQ(shared.wait(), wait_status::completed);
}

// The owner sleeps, gives up, and waits again.
TEST_P(group_limit, ends_waits_of_the_owner_while_others_work) {
  if (GetParam() == 1) return;
  rt_.run([&] {
    busy_task busy;
    std::atomic<int> ran{0};
    task_group group;
    // The owner runs none of the tasks before another worker has this one.
    group.spawn([&] { busy(); }, {.home = 1});
    busy.begun.wait();
    for (int i = 0; i < 3; ++i) {
      group.spawn([&] { ++ran; });
      EXPECT_EQ(group.wait_for(2ms), std::nullopt);
    }
    busy.released.count_down();
    EXPECT_EQ(group.wait(), wait_status::completed);
    EXPECT_EQ(ran, 3);
  });
}

TEST_P(group_limit, of_zero_begins_nothing) {
  if (GetParam() != 1) return;  // others may take the task
  rt_.run([&] {
    bool begun = false;
    task_group group;
    group.spawn([&] { begun = true; });
    EXPECT_EQ(group.wait_for(0ns), std::nullopt);
    EXPECT_FALSE(begun);
    EXPECT_EQ(group.wait(), wait_status::completed);
    EXPECT_TRUE(begun);
  });
}

// One worker runs one task after another, and none after the limit.
TEST_P(group_limit, begins_no_task_afterwards) {
  if (GetParam() != 1) return;
  rt_.run([&] {
    std::atomic<int> late{0};
    task_group group;
    const auto end = steady_clock::now() + 1ms;
    for (int i = 0; i < 100; ++i) {
      group.spawn([&] {
        if (steady_clock::now() >= end) ++late;
        while (steady_clock::now() < end) {
        }
      });
    }
    EXPECT_EQ(group.wait_until(end), std::nullopt);
    // The clock of the library is read before the task reads it.
    EXPECT_LE(late, 1);
    EXPECT_EQ(group.wait_for(1h), wait_status::completed);
  });
}

TEST_P(group_limit, leaves_the_exception_to_the_wait_that_sees_the_end) {
  busy_task busy;
  task_group group(rt_);
  group.spawn([&] {
    busy();
    throw std::runtime_error("late");
  });
  EXPECT_EQ(group.wait_for(1ms), std::nullopt);
  busy.released.count_down();
  EXPECT_THROW(static_cast<void>(group.wait_for(1h)), std::runtime_error);
  EXPECT_EQ(group.wait_for(1h), wait_status::completed);
}

TEST_P(group_limit, may_be_followed_by_a_stop) {
  busy_task busy;
  task_group group(rt_);
  std::atomic<int> ran{0};
  group.spawn([&] { busy(); });
  busy.begun.wait();
  EXPECT_EQ(group.wait_for(1ms), std::nullopt);
  group.request_stop();
  group.spawn([&] { ++ran; });
  busy.released.count_down();
  EXPECT_EQ(group.wait_for(1h), wait_status::stopped);
  EXPECT_EQ(ran, 0);
}

TEST_P(group_limit, may_be_followed_by_the_end_of_the_group) {
  std::atomic<int> ran{0};
  rt_.run([&] {
    task_group group;
    for (int i = 0; i < 100; ++i) group.spawn([&] { ++ran; });
    static_cast<void>(group.wait_for(1us));
  });
  EXPECT_EQ(ran, 100);
}

TEST_P(group_limit, holds_in_an_arena) {
  arena narrow(rt_, {.workers = 1});
  busy_task busy;
  task_group group(rt_);
  group.spawn([&] { busy(); });
  busy.begun.wait();
  std::thread outside([&] {
    EXPECT_EQ(group.wait_for(2ms), std::nullopt);
    busy.released.count_down();
  });
  // With one worker, this begins after the task has ended.
  narrow.run([&] {
    EXPECT_EQ(group.wait_for(1h), wait_status::completed);
    task_group inside;
    inside.spawn([] {});
    EXPECT_EQ(inside.wait_for(1h), wait_status::completed);
  });
  outside.join();
}

TEST_P(group_limit, refuses_what_a_plain_wait_refuses) {
  rt_.run([&] {
    task_group group;
    group.spawn([] {});
    std::string what;
    std::thread([&] {
      try {
        static_cast<void>(group.wait_for(1h));
      } catch (const error& e) {
        what = e.what();
      }
    }).join();
    EXPECT_EQ(what, "task_group: wait() must be called by the task that made the group");
    EXPECT_EQ(group.wait(), wait_status::completed);
  });
  {
    task_group group(rt_);
    {
      const hold_guard held = rt_.hold();
      EXPECT_EQ(group.wait_for(1h), wait_status::completed);  // it is empty
      group.spawn([] {});
      EXPECT_THROW(static_cast<void>(group.wait_for(1h)), error);
    }
    EXPECT_EQ(group.wait(), wait_status::completed);
  }
}

// A recording says that the task waited for its group, if the group ended in time.
TEST_P(group_limit, is_recorded_if_the_group_ends) {
  rt_.start_recording();
  rt_.run([&] {
    task_group group;
    group.spawn([] {});
    static_cast<void>(group.wait_for(0ns));
    EXPECT_EQ(group.wait_for(1h), wait_status::completed);
  });
  const recording made = rt_.stop_recording();
  EXPECT_EQ(made.waits.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(workers, group_limit, testing::ValuesIn(test::worker_counts));

}  // namespace
}  // namespace evencube::group_limit_test
