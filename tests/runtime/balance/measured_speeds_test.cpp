// The current speeds of workers, and their use by planners.

#include <gtest/gtest.h>

#include <chrono>
#include <evencube/evencube.hpp>
#include <thread>
#include <vector>

#include "balance/speed_meter.hpp"
#include "deadline.hpp"
#include "platform/platform.hpp"

namespace evencube {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t ms = 1'000'000;

TEST(unit_share, is_the_time_used_of_that_not_idle) {
  detail::unit_share share;
  EXPECT_EQ(share.value(), 1);
  share.see(100 * ms, 5 * ms, 50 * ms);  // the first sample has nothing to compare with
  EXPECT_EQ(share.value(), 1);
  share.see(110 * ms, 7 * ms, 54 * ms);  // busy for 8 ms, of which it had 4
  EXPECT_DOUBLE_EQ(share.value(), 0.75);
  share.see(120 * ms, 7 * ms, 59 * ms);  // 5 of 10
  EXPECT_DOUBLE_EQ(share.value(), 0.625);
  share.see(130 * ms, 16'500'000, 59 * ms);  // busy for half a millisecond: too short to count
  EXPECT_DOUBLE_EQ(share.value(), 0.625);
  share.see(140 * ms, 16'500'000, 79 * ms);  // clocks with different ticks
  EXPECT_DOUBLE_EQ(share.value(), 0.8125);
  share.forget();
  share.see(200 * ms, 0, 0);
  EXPECT_DOUBLE_EQ(share.value(), 0.8125);
  for (int i = 1; i < 20; ++i) share.see((200 + 10 * i) * ms, 0, 0);
  EXPECT_NEAR(share.value(), 0.05, 1e-4) << "never nothing: it may be asked for more";
}

TEST(speed_meter, tells_speeds_by_steps_of_the_fastest) {
  const auto compared = [](std::vector<double> speeds) {
    const bool alike = detail::speed_meter::compare(speeds);
    EXPECT_EQ(alike, speeds == std::vector<double>(speeds.size(), 1));
    return speeds;
  };
  using speeds = std::vector<double>;
  EXPECT_EQ(compared({0.5, 0.52, 0.48}), (speeds{1, 1, 1}));
  EXPECT_EQ(compared({1, 0.5, 0.33, 0.01}), (speeds{1, 0.5, 0.375, 0.125}));
  EXPECT_EQ(compared({0.9}), (speeds{1}));
}

// A thread that sleeps in its tasks gets nothing of its unit, like a thread that others keep from
// it.
TEST(measured_speeds, send_work_where_there_is_time_for_it) {
  if (!detail::time_of_thread()) GTEST_SKIP() << "this platform has no clocks of threads";
  runtime rt({.workers = 2,
              .balancer = "dem",
              .mode = balancer_mode::on_demand,
              .pulls = false,
              .experimental = {.measured_speeds = true}});
  const test::deadline deadline(rt);
  for (int i = 0; i < 4; ++i) {
    {
      hold_guard still = rt.hold();
      static_cast<void>(still.balance());
    }
    rt.run([] {
      task_group group;
      for (int k = 0; k < 10; ++k) {
        group.spawn([] { std::this_thread::sleep_for(2ms); }, {.home = 1});
      }
      const auto end = std::chrono::steady_clock::now() + 20ms;
      while (std::chrono::steady_clock::now() < end) {
      }
      group.wait();
    });
  }
  task_group group(rt);
  {
    hold_guard still = rt.hold();
    for (int k = 0; k < 40; ++k) group.spawn([] {}, {.home = 1});
    const std::vector<double> capacities = still.balance().capacities;
    ASSERT_EQ(capacities.size(), 2U);
    EXPECT_LT(capacities[1], capacities[0]);
    EXPECT_GT(still.loads()[0], still.loads()[1]);
  }
  group.wait();
}

TEST(measured_speeds, are_none_unless_asked_for) {
  runtime rt({.workers = 2, .balancer = "dem", .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  rt.run([] {
    task_group group;
    group.spawn([] { std::this_thread::sleep_for(20ms); }, {.home = 1});
    group.wait();
  });
  task_group group(rt);
  {
    hold_guard still = rt.hold();
    for (int k = 0; k < 40; ++k) group.spawn([] {}, {.home = 1});
    const std::vector<double> capacities = still.balance().capacities;
    EXPECT_TRUE(capacities.empty() || capacities[1] == capacities[0]);
    EXPECT_EQ(still.loads(), (std::vector<load_type>{20, 20}));
  }
  group.wait();
}

// Worker 0 is one caller of `run` after another, the thread of slot 0, or no thread.
TEST(measured_speeds, are_those_of_whoever_is_worker_0) {
  runtime rt(
      {.workers = 2, .balancer = "dem", .period = 1ms, .experimental = {.measured_speeds = true}});
  const test::deadline deadline(rt);
  for (int i = 0; i < 20; ++i) {
    std::thread([&rt] {
      rt.run([] { parallel_for(0, 100, [](int /*unused*/) { std::this_thread::yield(); }); });
    }).join();
    std::vector<future<void>> ends;
    for (int k = 0; k < 10; ++k) {
      ends.push_back(rt.async([] { std::this_thread::sleep_for(100us); }));
    }
    for (future<void>& end : ends) end.get();
    hold_guard still = rt.hold();
    for (const double capacity : still.balance().capacities) {
      EXPECT_GE(capacity, 0);
      EXPECT_LE(capacity, 1);
    }
  }
}

}  // namespace
}  // namespace evencube
