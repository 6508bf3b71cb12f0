// `when_any` of coroutines: the first to end gives the result, the others are asked to stop, and
// none is left behind.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "coroutine_support.hpp"

namespace evencube::first_of_tasks_test {
namespace {

using first_of_several = test::coroutines_on;

/// Goes on until it is asked to stop, and lets others go first meanwhile.
task<int> until_stopped(runtime& rt, std::stop_token token, std::atomic<int>& ended) {
  while (!token.stop_requested()) co_await rt.schedule(priority::low);
  ++ended;
  co_return -1;
}
task<int> throw_when_stopped(runtime& rt, std::stop_token token, std::atomic<int>& ended) {
  static_cast<void>(co_await until_stopped(rt, std::move(token), ended));
  throw test::failure_of_test{1};
}

task<int> one_that_ends(runtime& rt, std::size_t which, std::size_t n, std::atomic<int>& ended) {
  std::stop_source others;
  std::vector<task<int>> tasks;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == which) {
      tasks.push_back(test::give(7));
    } else if (i % 2 == 0) {
      tasks.push_back(until_stopped(rt, others.get_token(), ended));
    } else {
      tasks.push_back(throw_when_stopped(rt, others.get_token(), ended));
    }
  }
  const auto first = co_await when_any(others, std::move(tasks));
  EXPECT_TRUE(others.stop_requested());
  EXPECT_EQ(first.index, which);
  EXPECT_EQ(ended, static_cast<int>(n) - 1);
  co_return first.value;
}

TEST_P(first_of_several, stops_the_others_and_waits_for_them) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{50}}) {
    for (const std::size_t which : {std::size_t{0}, n / 2, n - 1}) {
      std::atomic<int> ended{0};
      EXPECT_EQ(sync_wait(rt_, one_that_ends(rt_, which, n, ended)), 7);
    }
  }
}

task<int> one_that_fails(runtime& rt, std::atomic<int>& ended) {
  std::stop_source others;
  const auto first = co_await when_any(others, until_stopped(rt, others.get_token(), ended),
                                       test::fail(5), until_stopped(rt, others.get_token(), ended));
  co_return first.value;
}

TEST_P(first_of_several, throws_if_the_first_throws) {
  std::atomic<int> ended{0};
  try {
    sync_wait(rt_, one_that_fails(rt_, ended));
    ADD_FAILURE() << "it did not throw";
  } catch (const test::failure_of_test& e) {
    EXPECT_EQ(e.number, 5);
  }
  EXPECT_EQ(ended, 2);
}

// All may end at once: one of them is the first, whichever.
TEST_P(first_of_several, is_one_of_those_that_end_at_once) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<task<int>> tasks;
    for (int i = 0; i < 20; ++i) tasks.push_back(test::give(i));
    const auto first = sync_wait(rt_, when_any(std::stop_source(), std::move(tasks)));
    EXPECT_EQ(first.value, static_cast<int>(first.index));
  }
}

task<> nothing() { co_return; }
task<int&> refer(int& to) { co_return to; }
task<std::unique_ptr<int>> own(int value) { co_return std::make_unique<int>(value); }

TEST_P(first_of_several, has_a_result_of_any_kind) {
  const std::stop_source others;
  EXPECT_LT(sync_wait(rt_, when_any(others, nothing(), nothing())).index, 2U);
  int number = 3;
  EXPECT_EQ(&sync_wait(rt_, when_any(others, refer(number))).value.get(), &number);
  EXPECT_EQ(*sync_wait(rt_, when_any(others, own(4), own(4))).value, 4);
}

TEST(first_of_tasks, must_have_one) {
  EXPECT_THROW(static_cast<void>(when_any(std::stop_source(), std::vector<task<int>>())),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(workers, first_of_several, test::coroutine_workers(),
                         test::name_of_workers);

}  // namespace
}  // namespace evencube::first_of_tasks_test
