// `std::exit` inside a task of a static runtime used to hang: its destructor waited for the very
// task that called it. Each case is a child process, made before this one has any thread.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <evencube/evencube.hpp>
#include <string>
#include <thread>

namespace evencube {
namespace {

constexpr int asked_for = 7;
constexpr unsigned patience = 10;  // seconds until a child that hangs is ended

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
