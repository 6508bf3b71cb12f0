// What runs always stands below what it is a part of: neither below something that has gone, nor
// below another task.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstring>
#include <evencube/blocking.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <exception>
#include <new>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "threads_of_process.hpp"

namespace evencube::regression_what_stands_above_test {
namespace {

using namespace std::chrono_literals;

class stands_below : public testing::TestWithParam<unsigned> {
 protected:
  // Where a group is stopped, whoever asks looks at all that stands above.
  stands_below() { stopped_.request_stop(); }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
  task_group stopped_{rt_};
};

/// Destroys what tells it, and goes on, as a coroutine that is resumed does.
struct destroyer {
  std::byte* room;
  void (*destroy)(std::byte*);
  std::atomic<int>* done;

  void set_value() && {
    std::atomic<int>& all = *done;
    std::byte* const gone = room;
    destroy(room);
    std::memset(gone, 0xEE, 64);
    EXPECT_FALSE(this_task::stop_requested());
    task_group below;
    below.spawn([] { EXPECT_FALSE(this_task::stop_requested()); });
    below.wait();
    all = 1;
    all.notify_all();
  }
  void set_error(std::exception_ptr) && {}
  void set_stopped() && {}
};

TEST_P(stands_below, a_task_when_its_sender_is_gone) {
  using operation = decltype(rt_.schedule().connect(destroyer{}));
  alignas(operation) std::byte room[sizeof(operation)];
  std::atomic<int> done{0};
  constexpr auto destroy = [](std::byte* at) {
    std::launder(reinterpret_cast<operation*>(at))->~operation();
  };
  auto* const made =
      ::new (room) operation(rt_.schedule().connect(destroyer{room, destroy, &done}));
  made->start();
  done.wait(0);
}

/// Another thread resumes the coroutine to its end while this one is still on its way out.
struct ended_elsewhere {
  static bool await_ready() { return false; }
  static void await_suspend(std::coroutine_handle<> awaiting) {
    std::thread([awaiting] { awaiting.resume(); }).join();
    EXPECT_FALSE(this_task::stop_requested());
  }
  static void await_resume() {}
};

task<> ends_elsewhere(runtime& rt) {
  co_await rt.schedule();
  co_await ended_elsewhere{};
}

TEST_P(stands_below, a_coroutine_that_ends_on_another_thread) {
  for (int i = 0; i < 20; ++i) static_cast<void>(start(rt_, ends_elsewhere(rt_)));
}

INSTANTIATE_TEST_SUITE_P(workers, stands_below, testing::Values(1U, 2U, 5U));

// A task takes back a fork that was shared, and with it goes the empty slot of one below the task.
TEST(a_fork, stands_below_the_task_that_makes_it) {
  runtime rt({.workers = 2, .balancer = "none", .pin = false});
  const test::deadline deadline(rt);
  std::atomic<bool> taken{false};
  std::atomic<bool> free{false};
  task_group other(rt);
  rt.run([&] {
    other.spawn(
        [&] {
          taken = true;
          while (!free) std::this_thread::yield();
        },
        {.home = 1});
    while (!taken) std::this_thread::yield();
    for (int i = 0; i < 2000; ++i) fork_join([] {}, [] {});
    task_group group;
    group.spawn([] {});
    fork_join(
        [&] {
          group.spawn([&] {
            fork_join([] { blocking([] {}); }, [] {});
            group.request_stop();
            EXPECT_TRUE(this_task::stop_requested());
            std::atomic<bool> asked{false};
            fork_join(
                [&] {
                  blocking([&] {
                    free = true;
                    for (int i = 0; i < 300 && !asked; ++i) std::this_thread::sleep_for(1ms);
                  });
                },
                [&] {
                  EXPECT_TRUE(this_task::stop_requested());
                  asked = true;
                });
          });
        },
        [] {});
    EXPECT_EQ(group.wait(), wait_status::stopped);
    free = true;
  });
  other.wait();
}

/// Resumed by whom the test says.
struct handed_out {
  std::atomic<void*>* to;

  static bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) const {
    // The thread that resumes the coroutine destroys this awaiter with it.
    std::atomic<void*>& there = *to;
    there = awaiting.address();
    there.notify_all();
  }
  static void await_resume() {}
};

task<> waits_for_another(std::atomic<void*>& to) { co_await handed_out{&to}; }

// Of a runtime that only `run` was called of: nobody is in slot 0, and no thread is there for it.
TEST(a_coroutine_that_ends_outside, releases_what_continues_it) {
  for (const unsigned workers : {1U, 2U}) {
    runtime rt({.workers = workers});
    const test::deadline deadline(rt);
    std::atomic<void*> handle{nullptr};
    std::atomic<bool> continued{false};
    future<void> last;
    rt.run([&] {
      last = start(rt, waits_for_another(handle)).then([&] {
        continued = true;
        continued.notify_all();
      });
      static_cast<void>(last.wait_for(1ms));
    });
    handle.wait(nullptr);
    std::coroutine_handle<>::from_address(handle.load()).resume();
    // Nobody asks for it.
    continued.wait(false);
    last.get();
  }
}

// Also whoever sits in slot 0.
TEST(another_balancer, is_told_to_all_that_sleep) {
  runtime rt({.workers = 2, .balancer = "none", .pin = false});
  const test::deadline deadline(rt);
  rt.run([&] { fork_join([] {}, [] {}); });
  {
    task_group first(rt);  // the thread of slot 0 is there from now on
    for (int i = 0; i < 8; ++i) first.spawn([] {});
    first.wait();
  }
  std::atomic<bool> met{false};
  task_group group(rt);
  group.spawn(
      [&] {
        task_group inner;
        std::atomic<int> inside{0};
        for (int i = 0; i < 400; ++i) {
          inner.spawn([&] {
            if (++inside == 2) {
              met = true;
              met.notify_all();
            }
            met.wait(false);
          });
        }
        inner.wait();
      },
      {.home = 1});
  test::until_others_sleep();
  EXPECT_FALSE(met);
  rt.use_balancer("oem");
  met.wait(false);
  group.wait();
}

}  // namespace
}  // namespace evencube::regression_what_stands_above_test
