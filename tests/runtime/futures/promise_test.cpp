// A promise: a future that code sets which is no task of the runtime.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "deadline.hpp"

namespace {

using evencube::future;
using evencube::promise;
using evencube::runtime;

evencube::runtime_options workers(unsigned n) {
  evencube::runtime_options options;
  options.workers = n;
  return options;
}

class promises : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{workers(GetParam())};
  evencube::test::deadline deadline_{rt_};
};

TEST_P(promises, give_their_value_to_the_future) {
  promise<std::string> made(rt_);
  future<std::string> result = made.get_future();
  EXPECT_TRUE(made.valid());
  EXPECT_FALSE(result.ready());
  EXPECT_EQ(result.wait_for(std::chrono::milliseconds(1)), evencube::future_status::timeout);
  made.set_value(3U, 'x');
  EXPECT_FALSE(made.valid());
  EXPECT_TRUE(result.ready());
  EXPECT_EQ(result.get(), "xxx");
}

TEST_P(promises, wake_whoever_waits) {
  promise<int> for_a_thread(rt_);
  promise<> for_a_task(rt_);
  promise<int&> for_a_coroutine(rt_);
  int here = 5;
  future<int> first = for_a_thread.get_future();
  future<void> second = for_a_task.get_future();
  const auto await = [](future<int&> from) -> evencube::task<int*> {
    co_return &co_await std::move(from);
  };
  future<int*> third = rt_.async(await(for_a_coroutine.get_future()));
  future<int> continued =
      first.valid() ? std::move(first).then([](int i) { return i + 1; }) : future<int>();
  std::thread other([&] {
    for_a_coroutine.set_value(here);
    for_a_thread.set_value(41);
    for_a_task.set_value();
  });
  rt_.run([&] { second.get(); });
  EXPECT_EQ(continued.get(), 42);
  EXPECT_EQ(third.get(), &here);
  other.join();
}

TEST_P(promises, may_be_set_before_the_future_is_taken_or_dropped) {
  promise<int> early(rt_);
  future<int> taken = early.get_future();
  promise<int> moved(std::move(early));
  EXPECT_FALSE(early.valid());
  moved.set_value(3);
  EXPECT_EQ(taken.get(), 3);
  promise<int>(rt_).set_value(1);  // nobody asks
  promise<int> dropped(rt_);
  static_cast<void>(dropped.get_future());
  dropped.set_value(2);
}

TEST_P(promises, pass_on_exceptions_and_say_that_they_broke) {
  promise<int> fails(rt_);
  future<int> failure = fails.get_future();
  fails.set_exception(std::make_exception_ptr(std::length_error("long")));
  EXPECT_THROW(failure.get(), std::length_error);
  future<int> never;
  {
    promise<int> broken(rt_);
    never = broken.get_future();
  }
  EXPECT_THROW(never.get(), evencube::error);
}

TEST_P(promises, refuse_to_be_set_twice) {
  promise<std::unique_ptr<int>> once(rt_);
  EXPECT_THROW(once.set_exception(nullptr), evencube::error);
  future<std::unique_ptr<int>> result = once.get_future();
  EXPECT_THROW(static_cast<void>(once.get_future()), evencube::error);
  once.set_value(std::make_unique<int>(1));
  EXPECT_THROW(once.set_value(nullptr), evencube::error);
  EXPECT_THROW(once.set_exception(std::make_exception_ptr(1)), evencube::error);
  EXPECT_EQ(*result.get(), 1);
}

TEST_P(promises, keep_the_runtime_until_they_are_set) {
  future<int> result;
  std::thread later;
  {
    runtime short_lived(workers(GetParam()));
    promise<int> made(short_lived);
    result = made.get_future();
    later = std::thread([own = std::move(made)]() mutable {
      std::this_thread::yield();
      own.set_value(7);
    });
  }
  EXPECT_TRUE(result.ready());  // the destructor has waited
  EXPECT_EQ(result.get(), 7);
  later.join();
}

TEST_P(promises, are_refused_by_a_stopped_runtime) {
  rt_.stop();
  EXPECT_THROW(promise<int>{rt_}, evencube::error);
}

// A thread makes promises, sets them a little later, and continues their futures, while the runtime
// is stopped at any moment. A promise that was made keeps stop() until it is set.
TEST_P(promises, are_refused_or_awaited_while_a_runtime_is_stopped) {
  for (int times = 0; times < 30; ++times) {
    runtime stopped(workers(GetParam()));
    std::atomic<int> unset{0};
    std::atomic<bool> refused{false};
    std::thread maker([&] {
      try {
        for (int i = 0;; ++i) {
          promise<int> made(stopped);
          ++unset;
          future<int> result = made.get_future();
          if (i % 3 != 0) std::this_thread::yield();
          --unset;
          made.set_value(i);
          EXPECT_EQ(result.get(), i);
        }
      } catch (const evencube::error&) {
        refused = true;
      }
    });
    for (int i = times; i > 0; --i) std::this_thread::yield();
    stopped.stop();
    EXPECT_EQ(unset, 0);
    maker.join();
    EXPECT_TRUE(refused);
  }
}

// The task that makes a promise counts no longer; the promise alone keeps stop().
TEST_P(promises, of_tasks_are_awaited_while_a_runtime_is_stopped) {
  for (int times = 0; times < 30; ++times) {
    runtime stopped(workers(GetParam()));
    std::atomic<bool> set{false};
    std::optional<promise<int>> made;
    {
      evencube::task_group group(stopped);
      group.spawn([&] { made.emplace(stopped); });
      group.wait();
    }
    std::thread keeper([&] {
      for (int i = times; i > 0; --i) std::this_thread::yield();
      set = true;
      made->set_value(1);
    });
    stopped.stop();
    EXPECT_TRUE(set);
    keeper.join();
  }
}

TEST_P(promises, groups_and_runtimes_take_coroutines) {
  const auto answer = []() -> evencube::task<int> { co_return 42; };
  EXPECT_EQ(rt_.async(answer()).get(), 42);
  int set = 0;
  const auto write = [](int& to) -> evencube::task<> {
    to = 1;
    co_return;
  };
  evencube::task_group group(rt_);
  group.spawn(write(set));
  group.wait();
  EXPECT_EQ(set, 1);
}

INSTANTIATE_TEST_SUITE_P(workers, promises, testing::Values(1U, 2U, 4U));

}  // namespace
