// A loop whose body threw used to go on for millions of iterations before it noticed. It notices
// within a chunk: far sooner than its range ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "deadline.hpp"

namespace evencube::regression_failing_loop_test {
namespace {

class failing_loop : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::int64_t range = 200'000'000;
  // A chunk lasts at most 100 us; each iteration here lasts some nanoseconds at least.
  static constexpr std::int64_t iterations_of_a_chunk = 100'000;

  /// How many iterations began in `loop` after one threw, in the best of several runs, of which the
  /// first within the bound is the last: a thread that throws may lose its processor before anybody
  /// can know, and on a busy machine it does so more often than not.
  template <typename Loop>
  std::int64_t begun_after(const Loop& loop) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int n = 0; n < 17 && least > bound(); ++n) {
      thrown_ = false;
      after_ = 0;
      rt_.run([&] { EXPECT_THROW(loop(), std::runtime_error); });
      least = std::min(least, after_.load());
      deadline_.renew();
    }
    return least;
  }
  /// One iteration.
  void step(std::int64_t i, std::int64_t at) {
    if (i == at && !thrown_.exchange(true)) throw std::runtime_error("one");
    if (thrown_.load(std::memory_order_relaxed)) after_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t bound() const { return iterations_of_a_chunk * rt_.workers(); }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
  std::atomic<bool> thrown_{false};
  std::atomic<std::int64_t> after_{0};
};

TEST_P(failing_loop, stops_a_for) {
  // At once, and when all others are deep in parts of their own.
  for (const std::int64_t at : {std::int64_t{0}, range / 100}) {
    EXPECT_LE(begun_after([&] {
                parallel_for(std::int64_t{0}, range, [&](std::int64_t i) { step(i, at); });
              }),
              bound())
        << "at " << at;
  }
}

TEST_P(failing_loop, stops_a_reduce) {
  for (const std::int64_t at : {std::int64_t{0}, range / 100}) {
    EXPECT_LE(begun_after([&] {
                static_cast<void>(parallel_reduce(
                    std::int64_t{0}, range, std::int64_t{0},
                    [&](std::int64_t i) {
                      step(i, at);
                      return i;
                    },
                    [](std::int64_t a, std::int64_t b) { return a + b; }));
              }),
              bound())
        << "at " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(workers, failing_loop, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_failing_loop_test
