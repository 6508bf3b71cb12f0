// `reset_stats` used to be lost when a worker counted at the same time: the old sum came back.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <string>
#include <thread>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_lost_reset_test {
namespace {

std::uint64_t executed(const runtime& rt) {
  std::uint64_t sum = 0;
  for (const auto& w : rt.stats().workers) sum += w.executed;
  return sum;
}

class lost_reset : public testing::TestWithParam<unsigned> {};

TEST_P(lost_reset, never_while_workers_count) {
  runtime rt({.workers = GetParam()});
  test::deadline deadline(rt);
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> ended{0};
  std::jthread program([&](const std::stop_token& over) {
    rt.run([&] {
      while (!over.stop_requested()) {
        task_group group;
        for (int i = 0; i < 100; ++i) {
          group.spawn([&] {
            ++begun;
            ++ended;
          });
        }
        group.wait();
      }
    });
  });
  while (begun == 0) std::this_thread::yield();
  for (int n = test::repetitions(300'000); n > 0; --n) {
    // As often as it can be done: a reset is lost when it meets a worker that counts.
    // Each worker may be about to count a task that has ended, or have counted one that is about to
    // begin.
    const std::uint64_t before = ended;
    rt.reset_stats();
    const std::uint64_t counted = executed(rt);
    const std::uint64_t at_most = begun - before + 2 * std::uint64_t{GetParam()};
    ASSERT_LE(counted, at_most) << n << " repetitions before the last";
    deadline.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, lost_reset, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_lost_reset_test
