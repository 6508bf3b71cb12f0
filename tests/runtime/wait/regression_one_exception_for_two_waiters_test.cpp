// Two threads that waited for one group whose task threw used to take its exception both, and the
// second took what was gone. One of them gets it, the others return.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_one_exception_for_two_waiters_test {
namespace {

class one_exception : public testing::TestWithParam<unsigned> {
 protected:
  /// Each wait begins as soon as the others do.
  void wait_with_the_others(task_group& group, int waiters) {
    ++ready_;
    while (ready_ < waiters) std::this_thread::yield();
    try {
      group.wait();
      ++returned_;
    } catch (const std::runtime_error& thrown) {
      EXPECT_STREQ(thrown.what(), "the only one");
      ++caught_;
    }
  }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
  std::atomic<int> ready_{0};
  std::atomic<int> caught_{0};
  std::atomic<int> returned_{0};
};

TEST_P(one_exception, for_threads_outside) {
  for (int n = test::repetitions(2000); n > 0; --n) {
    task_group group(rt_);
    ready_ = caught_ = returned_ = 0;
    constexpr int waiters = 3;
    group.spawn([] { throw std::runtime_error("the only one"); });
    {
      std::vector<std::jthread> threads;
      for (int k = 1; k < waiters; ++k) {
        threads.emplace_back([&] { wait_with_the_others(group, waiters); });
      }
      wait_with_the_others(group, waiters);
    }
    ASSERT_EQ(caught_, 1);
    ASSERT_EQ(returned_, waiters - 1);
    group.wait();  // it was taken
    deadline_.renew();
  }
}

TEST_P(one_exception, for_a_worker_and_a_thread_outside) {
  for (int n = test::repetitions(2000); n > 0; --n) {
    task_group group(rt_);
    ready_ = caught_ = returned_ = 0;
    group.spawn([] { throw std::runtime_error("the only one"); });
    {
      std::jthread outside([&] { wait_with_the_others(group, 2); });
      rt_.run([&] { wait_with_the_others(group, 2); });
    }
    ASSERT_EQ(caught_, 1);
    ASSERT_EQ(returned_, 1);
    deadline_.renew();
  }
}

// Several tasks throw; one exception is kept, the others are dropped.
TEST_P(one_exception, of_several) {
  for (int n = test::repetitions(500); n > 0; --n) {
    task_group group(rt_);
    ready_ = caught_ = returned_ = 0;
    for (int i = 0; i < 5; ++i) group.spawn([] { throw std::runtime_error("the only one"); });
    {
      std::jthread outside([&] { wait_with_the_others(group, 2); });
      wait_with_the_others(group, 2);
    }
    ASSERT_EQ(caught_, 1);
    ASSERT_EQ(returned_, 1);
    deadline_.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, one_exception, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_one_exception_for_two_waiters_test
