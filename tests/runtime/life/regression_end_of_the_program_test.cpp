// `std::exit` inside a task of a static runtime used to hang: its destructor waited for the very
// task that called it. Each case is a child process, made before this one has any thread.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <evencube/blocking.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "threads_of_process.hpp"

namespace evencube {
namespace {

constexpr int asked_for = 7;
constexpr unsigned patience = 60;  // seconds until a child that hangs is ended

/// What a child in which `body` runs leaves: its exit code, or 128 + the signal that ended it.
template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience);
    body();
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void wait_for_the_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds{1});
}

class end_of_the_program : public testing::TestWithParam<unsigned> {};

TEST_P(end_of_the_program, by_exit_inside_an_async) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt({.workers = GetParam()});
              auto f = rt.async([] { std::exit(asked_for); });
              wait_for_the_end();
            }),
            asked_for);
}

TEST_P(end_of_the_program, by_exit_inside_an_async_that_is_waited_for) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt({.workers = GetParam()});
              rt.async([] { std::exit(asked_for); }).wait();
              wait_for_the_end();
            }),
            asked_for);
}

TEST_P(end_of_the_program, by_exit_inside_run) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt({.workers = GetParam()});
              rt.run([] { std::exit(asked_for); });
            }),
            asked_for);
}

TEST_P(end_of_the_program, by_exit_on_a_thread_that_holds_it) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt({.workers = GetParam()});
              static_cast<void>(rt.async([] {}));
              const auto held = rt.hold();
              std::exit(asked_for);
            }),
            asked_for);
}

TEST_P(end_of_the_program, by_exit_while_others_work) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt({.workers = GetParam()});
              static std::atomic<int> ran{0};
              for (int i = 0; i < 100; ++i) {
                static_cast<void>(rt.async([i] {
                  ++ran;
                  if (i == 50) std::exit(asked_for);
                }));
              }
              wait_for_the_end();
            }),
            asked_for);
}

// The other runtime, whose task waits, was waited for, though it waits for the very task that
// calls.
TEST_P(end_of_the_program, by_exit_where_a_task_of_another_runtime_waits) {
  EXPECT_EQ(status_of_child([] {
              static runtime waits({.workers = GetParam()});
              static runtime exits({.workers = GetParam()});
              waits.run([] { exits.run([] { std::exit(asked_for); }); });
            }),
            asked_for);
  EXPECT_EQ(status_of_child([] {
              static runtime exits({.workers = GetParam()});
              static runtime waits({.workers = GetParam()});
              task_group group(waits);
              group.spawn([] { exits.run([] { blocking([] { std::exit(asked_for); }); }); });
              group.wait();
            }),
            asked_for);
}

// The same where nobody waits any more: its threads end.
TEST_P(end_of_the_program, of_a_runtime_whose_tasks_have_waited) {
  EXPECT_EQ(status_of_child([] {
              runtime outer({.workers = GetParam()});
              outer.async([] {}).wait();  // by a thread that stays
              const std::size_t before = test::threads_of_process();
              auto inner = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
              inner->run([&] { outer.run([] {}); });
              outer.run([&] { inner.reset(); });
              // Fewer where `before` counted one that had been joined and was still seen.
              ::_exit(test::threads_of_process(before) <= before ? asked_for : 2);
            }),
            asked_for);
}

struct ends_the_program : task_observer {
  void task_ended(unsigned /*worker*/) override { std::exit(asked_for); }
};
TEST_P(end_of_the_program, by_exit_in_an_observer) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(
                  {.workers = GetParam(), .observer = std::make_shared<ends_the_program>()});
              static_cast<void>(rt.async([] {}));
              wait_for_the_end();
            }),
            asked_for);
}

/// Made before what the library has, so destroyed after it.
struct made_first {
  bool uses_a_runtime = false;
  ~made_first() {
    if (!uses_a_runtime) return;
    runtime rt({.workers = 2});
    ::_exit(rt.run([] { return asked_for; }));
  }
} first_of_all;
TEST(end_of_all_statics, makes_a_runtime_at_the_very_end) {
  EXPECT_EQ(status_of_child([] {
              first_of_all.uses_a_runtime = true;
              std::exit(1);
            }),
            asked_for);
}

// -- By exit on a thread that knows nothing of the others ----------------------------------------

/// Ends the program on a thread of its own, as soon as `inside()`.
template <typename Inside>
void exit_elsewhere(Inside inside) {
  std::thread([inside] {
    while (!inside()) std::this_thread::yield();
    std::exit(asked_for);
  }).detach();
}
/// Ends it as soon as the calling thread sleeps.
void exit_while_this_thread_sleeps() {
  exit_elsewhere([waiting = ::gettid()] { return test::sleeps(waiting); });
}

class end_from_outside : public testing::TestWithParam<std::tuple<unsigned, unsigned>> {
 protected:
  static runtime_options options() {
    return {.workers = std::get<0>(GetParam()), .spare_workers = std::get<1>(GetParam())};
  }
};

TEST_P(end_from_outside, while_another_is_in_run) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(status_of_child([] {
                static runtime rt(options());
                static std::atomic<bool> inside{false};
                exit_elsewhere([] { return inside.load(); });
                rt.run([] {
                  for (;; inside = true) parallel_for(0, 1000, [](int) {});
                });
              }),
              asked_for);
  }
}

TEST_P(end_from_outside, while_another_waits_for_a_group) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              static std::atomic<bool> never{false};
              task_group group(rt);
              group.spawn([] {
                task_group inner;
                inner.spawn([] {
                  while (!never) std::this_thread::yield();
                });
                inner.wait();
              });
              exit_while_this_thread_sleeps();
              group.wait();
            }),
            asked_for);
}

TEST_P(end_from_outside, while_another_waits_for_a_group_with_a_limit) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              static std::atomic<bool> never{false};
              task_group group(rt);
              group.spawn([] {
                task_group inner;
                inner.spawn([] {
                  while (!never) std::this_thread::yield();
                });
                static_cast<void>(inner.wait_for(std::chrono::hours(1)));
              });
              exit_while_this_thread_sleeps();
              static_cast<void>(group.wait_for(std::chrono::hours(1)));
            }),
            asked_for);
}

// The destructor used to find no worker busy, and then waited for a task that a worker had begun
// meanwhile. Each child ends at another moment after its tasks were queued.
TEST(end_from_outside_at_any_moment, while_tasks_of_a_group_have_not_begun) {
  constexpr unsigned moments = 60;
  static constexpr std::chrono::nanoseconds apart{1000};
  for (unsigned moment = 0; moment < moments; ++moment) {
    ASSERT_EQ(status_of_child([moment] {
                static runtime rt({.workers = 3});
                static std::atomic<bool> queued{false};
                task_group group(rt);
                exit_elsewhere([moment] {
                  if (!queued) return false;
                  const auto begun = std::chrono::steady_clock::now();
                  while (std::chrono::steady_clock::now() - begun < moment * apart) {
                  }
                  return true;
                });
                for (int i = 0; i < 3; ++i) group.spawn([] { wait_for_the_end(); });
                queued = true;
                group.wait();
              }),
              asked_for)
        << "at moment " << moment;
  }
}

// The destructor used to find no worker busy before the workers had woken, and took the runtime off
// the list of runtimes. A thread that waited for its group a little later got an exception.
TEST_P(end_from_outside, before_another_waits_for_its_group) {
  for (int times = 0; times < 4; ++times) {
    ASSERT_EQ(status_of_child([] {
                static runtime rt(options());
                static std::atomic<bool> queued{false};
                task_group group(rt);
                exit_elsewhere([] { return queued.load(); });
                for (int i = 0; i < 3; ++i) group.spawn([] { wait_for_the_end(); });
                queued = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                group.wait();
              }),
              asked_for);
  }
}

TEST_P(end_from_outside, while_another_holds_it) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              const auto held = rt.hold();
              exit_while_this_thread_sleeps();
              wait_for_the_end();
            }),
            asked_for);
}

TEST_P(end_from_outside, while_another_stops_it) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              static std::atomic<bool> begun{false};
              static_cast<void>(rt.async([] {
                begun = true;
                wait_for_the_end();
              }));
              while (!begun) std::this_thread::yield();
              exit_while_this_thread_sleeps();
              rt.stop();
            }),
            asked_for);
}

TEST_P(end_from_outside, while_another_blocks_in_run) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              exit_while_this_thread_sleeps();
              rt.run([] { blocking([] { wait_for_the_end(); }); });
            }),
            asked_for);
}

TEST_P(end_from_outside, while_a_task_of_a_group_blocks) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              task_group group(rt);
              group.spawn([] { blocking([] { wait_for_the_end(); }); });
              exit_while_this_thread_sleeps();
              group.wait();
            }),
            asked_for);
}

TEST_P(end_from_outside, while_a_coroutine_goes_on_in_run) {
  EXPECT_EQ(status_of_child([] {
              static runtime rt(options());
              static std::atomic<bool> inside{false};
              exit_elsewhere([] { return inside.load(); });
              rt.run([] {
                for (;; inside = true) {
                  sync_wait([]() -> task<void> { co_await rt.schedule(); }());
                }
              });
            }),
            asked_for);
}

INSTANTIATE_TEST_SUITE_P(workers, end_from_outside,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(0, 1)),
                         [](const auto& c) {
                           return std::to_string(std::get<0>(c.param)) + "_workers_" +
                                  std::to_string(std::get<1>(c.param)) + "_spare";
                         });

// The ordinary end, for comparison: what is queued runs before the runtime goes.
TEST_P(end_of_the_program, by_exit_in_the_main_thread) {
  EXPECT_EQ(status_of_child([] {
              static std::atomic<int> ran{0};
              static struct check {
                ~check() {
                  if (ran != 100) ::_exit(2);
                }
              } const after_the_runtime;
              static runtime rt({.workers = GetParam()});
              for (int i = 0; i < 100; ++i) static_cast<void>(rt.async([] { ++ran; }));
              std::exit(asked_for);
            }),
            asked_for);
}

INSTANTIATE_TEST_SUITE_P(workers, end_of_the_program, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube
