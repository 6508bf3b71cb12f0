#include <gtest/gtest.h>

#include <cstdint>

#include "life/brief_runs.hpp"

namespace evencube::detail {
namespace {

/// Calls of two functions at times that the tests choose.
class brief_runs_test : public ::testing::Test {
 protected:
  /// A call that follows the last one after `pause` and takes `length`. Returns true if it was
  /// timed.
  bool run(const void* function, std::int64_t pause, std::int64_t length) {
    now_ += pause;
    const bool timed = !runs_.begin(function);
    if (timed) busy_ += runs_.timed(now_, since_);
    EXPECT_EQ(runs_.is_timed(), timed);
    alone_ = runs_.alone();
    now_ += length;
    if (timed) {
      busy_ += length;
      runs_.ended(now_);
      since_ = now_;
    }
    return timed;
  }

  static constexpr char one = 0;
  brief_runs runs_;
  char other_ = 0;
  std::int64_t now_ = 1'000'000;
  std::int64_t since_ = now_;
  std::int64_t busy_ = 0;
  bool alone_ = false;
};

TEST_F(brief_runs_test, times_one_of_many_calls_that_are_brief_and_close) {
  unsigned timed = 0;
  for (int i = 0; i < 1280; ++i) timed += run(&one, 50, 100) ? 1U : 0U;
  EXPECT_EQ(timed, 3U + 9U);
  EXPECT_NEAR(static_cast<double>(busy_), 128'000, 128 * 100);
}

TEST_F(brief_runs_test, times_calls_that_are_long_or_far_apart) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(run(&one, 50, 2'000));
    EXPECT_TRUE(run(&other_, 5'000, 100));
  }
}

TEST_F(brief_runs_test, times_another_function) {
  for (int i = 0; i < 10; ++i) run(&one, 50, 100);
  EXPECT_FALSE(run(&one, 50, 100));
  const std::int64_t before = busy_;
  EXPECT_TRUE(run(&other_, 50, 1'000'000));
  EXPECT_GE(busy_ - before, 1'000'000);
  EXPECT_TRUE(run(&one, 50, 100));
}

TEST_F(brief_runs_test, counts_a_pause_after_brief_calls_as_time_without_work) {
  for (int i = 0; i < 10; ++i) run(&one, 50, 100);
  const std::int64_t before = busy_;
  EXPECT_TRUE(run(&other_, 1'000'000'000, 100));
  EXPECT_LE(busy_ - before, 10 * 100);
}

TEST_F(brief_runs_test, knows_functions_with_which_no_worker_can_help) {
  for (int i = 0; i < 3; ++i) {
    run(&one, 100'000, 20'000);  // most of it takes the waking
    EXPECT_FALSE(alone_);
  }
  run(&one, 100'000, 500);
  EXPECT_TRUE(alone_);
  run(&one, 100'000, 5'000);
  EXPECT_TRUE(alone_);
  for (unsigned i = 0; i < brief_runs::woken_again + brief_runs::needed; ++i) {
    run(&one, 100'000, 500);
    EXPECT_FALSE(alone_) << i;
  }
  run(&one, 100'000, 500);
  EXPECT_TRUE(alone_);
}

TEST_F(brief_runs_test, wakes_for_a_function_that_takes_long) {
  for (int i = 0; i < 100; ++i) {
    run(&one, 100'000, 40'000);
    EXPECT_FALSE(alone_);
  }
}

}  // namespace
}  // namespace evencube::detail
