// What the benchmarks count and measure with.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include "common/neighbour.hpp"
#include "common/pinning.hpp"
#include "common/spin_clock.hpp"
#include "common/tally.hpp"
#include "wakeup/config.hpp"

namespace bench {
namespace {

TEST(tally, sums_over_threads_that_have_ended_and_starts_again) {
  static_cast<void>(tally::take());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (unsigned j = 0; j < 1000; ++j) tally::count();
    });
  }
  for (std::thread& each : threads) each.join();
  tally::count();
  EXPECT_EQ(tally::take(), 4001U);
  EXPECT_EQ(tally::take(), 0U);
  tally::count();
  EXPECT_EQ(tally::take(), 1U);
}

TEST(spin_clock, a_spin_lasts_as_long_as_the_steady_clock_says) {
  const spin_clock clock;
  const auto start = std::chrono::steady_clock::now();
  spin_clock::spin(clock.ticks(20000.0));
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  EXPECT_GE(taken.count(), 0.999 * 20000.0);  // longer, if others had the CPU meanwhile
}

TEST(busy_neighbour, lives_as_long_as_the_object) {
  const auto has_child = [] { return waitpid(-1, nullptr, WNOHANG) == 0; };
  EXPECT_FALSE(has_child());
  {
    const busy_neighbour neighbour(allowed_cpus().back());
    EXPECT_TRUE(has_child());
  }
  EXPECT_FALSE(has_child());
}

TEST(busy_neighbour, refuses_a_cpu_that_does_not_exist) {
  EXPECT_THROW(busy_neighbour(100000), std::system_error);
}

TEST(meeting, ends_with_the_last_arrival) {
  wakeup::meeting all(2);
  const auto start = wakeup::meeting::clock::now();
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    all.attend();
  });
  all.attend();
  late.join();
  EXPECT_EQ(all.here(), 2U);
  EXPECT_GE(all.last() - start, std::chrono::milliseconds(20));
}

TEST(meeting, does_not_wait_for_ever) {
  wakeup::meeting all(2);
  all.attend();
  EXPECT_EQ(all.here(), 1U);
}

}  // namespace
}  // namespace bench
