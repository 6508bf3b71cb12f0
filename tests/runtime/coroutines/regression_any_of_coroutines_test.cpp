// Coroutines below a when_any that had begun, and whose other parts lay in queues, were nobody's to
// run while all workers waited for it, and what they came to need later was not seen.
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <string>
#include <utility>
#include <vector>

#include "coroutine_support.hpp"

namespace evencube::test::regression_any_of_coroutines_test {
namespace {

using any_of_coroutines = coroutines_on;

evencube::task<long> come_back(runtime& rt, long value) {
  co_await rt.schedule();
  co_return value;
}
evencube::task<long> come_back_in_parts(runtime& rt) {
  const auto [a, b] = co_await when_all(come_back(rt, 1), come_back(rt, 2));
  co_return a + b;
}
evencube::task<long> come_back_below(runtime& rt) {
  auto below = start(rt, come_back_in_parts(rt));
  co_return co_await std::move(below);
}

template <typename... Futures>
std::vector<future<long>> list(Futures... futures) {
  std::vector<future<long>> all;
  (all.push_back(std::move(futures)), ...);
  return all;
}

/// The value of the first to end.
long first_of(std::vector<future<long>> several) {
  return when_any(std::move(several))
      .then([](auto any) { return any.futures[any.index].get(); })
      .get();
}

TEST_P(any_of_coroutines, is_waited_for_where_one_comes_back) {
  EXPECT_EQ(rt_.run([&] { return first_of(list(start(rt_, come_back(rt_, 3)))); }), 3);
}

TEST_P(any_of_coroutines, is_waited_for_where_parts_of_them_are_queued) {
  EXPECT_EQ(rt_.run([&] { return first_of(list(start(rt_, come_back_in_parts(rt_)))); }), 3);
  EXPECT_EQ(rt_.run([&] {
    return first_of(list(start(rt_, come_back_below(rt_)), start(rt_, come_back_below(rt_))));
  }),
            3);
}

TEST_P(any_of_coroutines, is_waited_for_with_a_limit) {
  rt_.run([&] {
    auto any = when_any(list(start(rt_, come_back_in_parts(rt_))));
    ASSERT_EQ(any.wait_for(std::chrono::hours{1}), future_status::ready);
    EXPECT_EQ(any.get().futures[0].get(), 3);
  });
}

// As many waits as there are workers, each for coroutines whose parts others may have taken.
TEST_P(any_of_coroutines, is_waited_for_by_all_workers) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    task_group waiters(rt_);
    for (unsigned k = 0; k < 2 * rt_.workers(); ++k) {
      waiters.spawn([&] {
        EXPECT_EQ(
            first_of(list(start(rt_, come_back_below(rt_)), start(rt_, come_back_in_parts(rt_)))),
            3);
      });
    }
    static_cast<void>(waiters.wait());
  }
}

/// Stays closed until somebody opens it, and lets the one who waits there go on.
struct door {
  std::atomic<void*> waiter{nullptr};
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) noexcept {
    waiter.store(who.address(), std::memory_order_release);
  }
  void await_resume() const noexcept {}
};

evencube::task<long> need_one_more(runtime& rt, door& closed) {
  co_await closed;
  auto needed = rt.async([] { return 3L; });
  co_return co_await std::move(needed);
}

// Worker 1 sleeps in the wait for any; only then the coroutine needs a future, on worker 0, which
// waits for worker 1 from then on.
TEST(any_of_growing_coroutines, is_waited_for_where_they_come_to_need_more) {
  runtime rt({.workers = 2});
  deadline limit(rt, std::chrono::seconds{60});
  rt.run([&] {
    door closed;
    std::atomic<bool> begun{false};
    task_group both;
    both.spawn(
        [&] {
          begun.store(true, std::memory_order_release);
          EXPECT_EQ(first_of(list(start(rt, need_one_more(rt, closed)))), 3);
        },
        {.home = 1});
    while (!begun.load(std::memory_order_acquire)) std::this_thread::yield();
    both.spawn([&] {
      const auto all_is_quiet = [&] {
        return closed.waiter.load(std::memory_order_acquire) != nullptr &&
               rt.describe().find("asleep in waits 1") != std::string::npos;
      };
      while (!all_is_quiet()) std::this_thread::yield();
      std::coroutine_handle<>::from_address(closed.waiter.load(std::memory_order_acquire)).resume();
    });
    static_cast<void>(both.wait());
  });
}

INSTANTIATE_TEST_SUITE_P(on, any_of_coroutines, coroutine_workers(), name_of_workers);

}  // namespace
}  // namespace evencube::test::regression_any_of_coroutines_test
