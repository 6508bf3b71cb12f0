// Runs with a limit end with their function, or give up at the time, and leave nothing behind.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <evencube/evencube.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "deadline.hpp"

namespace evencube::run_for_test {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;
using namespace std::chrono_literals;

// Outside of tasks and inside one, where the worker that calls may be the only one.
class runs_with_a_limit : public testing::TestWithParam<unsigned> {
 protected:
  template <typename F>
  void inside_and_outside(const F& check) {
    check();
    rt_.run(check);
    arena one(rt_, {.workers = 1});
    one.run(check);
  }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

/// Goes on until it is stopped.
constexpr auto until_stopped = [](const std::stop_token& token) {
  while (!token.stop_requested()) std::this_thread::yield();
};

TEST_P(runs_with_a_limit, return_what_the_function_returns_if_it_ends_in_time) {
  inside_and_outside([&] {
    int calls = 0;
    EXPECT_EQ(run_for(rt_, 1h, [&] { ++calls; }), wait_status::completed);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(run_for(rt_, 1h, [] { return 7; }), 7);
    EXPECT_EQ(run_for(rt_, std::chrono::hours::max(),
                      [](const std::stop_token& token) { return !token.stop_requested(); }),
              true);
    EXPECT_EQ(run_until(rt_, steady_clock::now() + 1h, [] { return std::string("text"); }), "text");
    EXPECT_EQ(run_until(rt_, system_clock::now() + 1h, [] { return 7; }), 7);
    EXPECT_EQ(run_until(rt_, system_clock::time_point::max(), [] { return 7; }), 7);
    const int number = 5;
    EXPECT_EQ(run_for(rt_, 1h, [&]() -> const int& { return number; }), 5);
    EXPECT_EQ(*run_for(rt_, 1h, [] { return std::make_unique<int>(3); }).value(), 3);
  });
}

TEST_P(runs_with_a_limit, give_up_when_the_time_has_passed) {
  inside_and_outside([&] {
    const auto before = steady_clock::now();
    EXPECT_EQ(run_for(rt_, 1ms, until_stopped), wait_status::stopped);
    EXPECT_GE(steady_clock::now() - before, 1ms);
    EXPECT_EQ(run_until(rt_, steady_clock::now() + 1ms, until_stopped), wait_status::stopped);
    EXPECT_EQ(run_until(rt_, system_clock::now() + 1ms, until_stopped), wait_status::stopped);
    // A function without a token asks for itself.
    EXPECT_EQ(run_for(rt_, 1ms,
                      [] {
                        while (!this_task::stop_requested()) std::this_thread::yield();
                        return 7;
                      }),
              std::nullopt);
  });
}

TEST_P(runs_with_a_limit, leave_nothing_behind) {
  inside_and_outside([&] {
    std::atomic<int> running{0};
    std::atomic<int> begun{0};
    const auto ended = run_for(rt_, 1ms, [&](const std::stop_token& token) {
      task_group below;
      for (int i = 0; i < 100; ++i) {
        below.spawn([&] {
          ++running;
          ++begun;
          until_stopped(token);
          --running;
        });
      }
      EXPECT_EQ(below.wait(), wait_status::stopped);
    });
    EXPECT_EQ(ended, wait_status::stopped);
    EXPECT_EQ(running, 0);
    // The tasks that had not begun are dropped. Each of the others keeps its worker to the end.
    EXPECT_LE(begun, static_cast<int>(GetParam()));
  });
}

TEST_P(runs_with_a_limit, do_not_call_the_function_without_time) {
  inside_and_outside([&] {
    const auto never = [] { FAIL(); };
    EXPECT_EQ(run_for(rt_, 0ns, never), wait_status::stopped);
    EXPECT_EQ(run_for(rt_, -1h, never), wait_status::stopped);
    EXPECT_EQ(run_until(rt_, steady_clock::time_point::min(), never), wait_status::stopped);
    EXPECT_EQ(run_until(rt_, system_clock::time_point(), never), wait_status::stopped);
    EXPECT_EQ(run_for(rt_, 0ns, [] { return 7; }), std::nullopt);
    EXPECT_EQ(run_for(rt_, 0ns, [] { return wait_status::completed; }), wait_status::stopped);
    EXPECT_EQ(run_for(rt_, 0ns, [] { return std::optional(7); }), std::nullopt);
  });
}

TEST_P(runs_with_a_limit, let_the_function_decide_if_it_returns_an_outcome) {
  inside_and_outside([&] {
    std::stop_source source;
    const auto best_so_far = [&](const std::stop_token& token) {
      source.request_stop();
      until_stopped(token);
      return std::optional(7);
    };
    EXPECT_EQ(run_for(on(rt_, source.get_token()), 1h, best_so_far), 7);
    EXPECT_EQ(run_for(rt_, 1h, [] { return std::optional<int>(); }), std::nullopt);
    const auto loop = [&](const std::stop_token& token) {
      return parallel_for(token, 0, 1'000'000'000, [&](int) { until_stopped(token); });
    };
    EXPECT_EQ(run_for(rt_, 1ms, loop), wait_status::stopped);
    EXPECT_EQ(run_for(rt_, 1h,
                      [](const std::stop_token& token) {
                        return parallel_for(token, 0, 100, [](int) {});
                      }),
              wait_status::completed);
  });
}

TEST_P(runs_with_a_limit, end_with_another_token_too) {
  inside_and_outside([&] {
    std::stop_source source;
    arena one(rt_, {.workers = 1});
    const auto stops_itself = [&](const std::stop_token& token) {
      EXPECT_TRUE(source.request_stop());
      until_stopped(token);
    };
    EXPECT_EQ(run_for(on(rt_, source.get_token()), 1h, stops_itself), wait_status::stopped);
    EXPECT_EQ(run_for(on(rt_, source.get_token()), 1h, [] { FAIL(); }), wait_status::stopped);
    source = std::stop_source();
    EXPECT_EQ(run_for(on(one, source.get_token()), 1h, stops_itself), wait_status::stopped);
    source = std::stop_source();
    EXPECT_EQ(run_for(on(one, source.get_token()), 1ms, until_stopped), wait_status::stopped);
    EXPECT_FALSE(source.stop_requested());
    EXPECT_EQ(run_for(one, 1ms, until_stopped), wait_status::stopped);
    // The inner call ends with the time of the outer one.
    const auto nested = [&](const std::stop_token& outer) {
      return run_for(on(rt_, outer), 1h, until_stopped);
    };
    EXPECT_EQ(run_for(rt_, 1ms, nested), wait_status::stopped);
  });
  rt_.run([&] {
    std::stop_source source;
    EXPECT_EQ(run_for(source.get_token(), 1ms, until_stopped), wait_status::stopped);
    source.request_stop();
    EXPECT_EQ(run_for(source.get_token(), 1h, [] { FAIL(); }), wait_status::stopped);
  });
}

TEST_P(runs_with_a_limit, throw_what_the_function_throws) {
  inside_and_outside([&] {
    const auto throws_at_once = [] { throw std::runtime_error("on purpose"); };
    EXPECT_THROW(static_cast<void>(run_for(rt_, 1h, throws_at_once)), std::runtime_error);
    std::stop_source source;
    const auto throws_at_the_end = [&](const std::stop_token& token) -> int {
      source.request_stop();
      until_stopped(token);
      throw std::runtime_error("on purpose");
    };
    EXPECT_THROW(static_cast<void>(run_for(on(rt_, source.get_token()), 1h, throws_at_the_end)),
                 std::runtime_error);
  });
}

INSTANTIATE_TEST_SUITE_P(on, runs_with_a_limit, testing::Values(1, 2, 3),
                         [](const auto& p) { return std::to_string(p.param) + "_workers"; });

// The function is not called by a worker of the runtime that waits.
TEST(limited_runs, of_another_runtime_end_in_time) {
  runtime first({.workers = 1});
  runtime second({.workers = 1});
  const test::deadline deadline({&first, &second});
  first.run([&] {
    EXPECT_EQ(run_for(second, 1h, [] { return this_worker(); }), 0U);
    EXPECT_EQ(run_for(second, 1ms, until_stopped), wait_status::stopped);
  });
}

template <typename F>
concept runs_for = requires(runtime& rt, F& f) { run_for(rt, 1h, f); };

struct takes_either {
  int operator()() const { return 1; }
  long operator()(const std::stop_token&) const { return 2; }
};

TEST(functions_with_a_limit, take_a_token_or_nothing) {
  static_assert(runs_for<void (*)()> && runs_for<int (*)(std::stop_token)>);
  static_assert(!runs_for<void (*)(int)> && !runs_for<int>);
  runtime rt({.workers = 1});
  static_assert(std::same_as<std::optional<long>, decltype(run_for(rt, 1h, takes_either{}))>);
  EXPECT_EQ(run_for(rt, 1h, takes_either{}), 2);
}

}  // namespace
}  // namespace evencube::run_for_test
