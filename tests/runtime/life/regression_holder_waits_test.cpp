// A holder of a runtime that waits for the runtime would wait for ever: it gets an error instead.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>

#include "deadline.hpp"

namespace evencube::regression_holder_waits_test {
namespace {

class holder : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam(), .injection_capacity = 4}};
  test::deadline deadline_{rt_};
};

TEST_P(holder, is_told_instead_of_waiting) {
  std::atomic<int> ran{0};
  task_group group(rt_);
  auto future = [&] {
    const hold_guard still = rt_.hold();
    auto later = rt_.async([] { return 3; });
    group.spawn([&] { ++ran; });
    EXPECT_THROW(static_cast<void>(rt_.hold()), error);
    EXPECT_THROW(rt_.start_recording(), error);
    EXPECT_THROW(rt_.run([] {}), error);
    EXPECT_THROW(group.wait(), error);
    EXPECT_THROW(later.wait(), error);
    EXPECT_THROW(later.get(), error);  // and the future stays valid
    return later;
  }();
  EXPECT_EQ(future.get(), 3);
  group.wait();
  EXPECT_EQ(ran, 1);
}

TEST_P(holder, cannot_queue_more_than_may_wait_for_a_worker) {
  std::atomic<int> ran{0};
  task_group group(rt_);
  {
    const hold_guard still = rt_.hold();
    for (int i = 0; i < 4; ++i) group.spawn([&] { ++ran; });
    EXPECT_THROW(group.spawn([&] { ++ran; }), error);
  }
  group.wait();
  EXPECT_EQ(ran, 4);
}

TEST_P(holder, may_wait_for_a_group_without_tasks) {
  task_group group(rt_);
  const hold_guard still = rt_.hold();
  group.wait();
}

INSTANTIATE_TEST_SUITE_P(workers, holder, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_holder_waits_test
