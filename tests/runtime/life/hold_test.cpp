#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/evencube.hpp>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::hold_test {
namespace {

// Workers, balancer, transmission, cases.
using held_case = std::tuple<unsigned, std::string, std::string, int>;

class hold_with : public testing::TestWithParam<held_case> {};

// The real queues hold, after one round, exactly what the planner predicts for the loads they had.
TEST_P(hold_with, leaves_the_planned_loads_in_the_queues) {
  const auto& [workers, balancer, transmission, cases] = GetParam();
  runtime rt({.workers = workers, .balancer = balancer, .transmission = transmission});
  const test::deadline deadline(rt, std::chrono::seconds{240});
  std::mt19937_64 random(workers);
  for (int i = 0; i < test::repetitions(cases); ++i) {
    std::atomic<int> ran{0};
    int spawned = 0;
    task_group group(rt);
    {
      hold_guard still = rt.hold();
      std::vector<load_type> loads(workers);
      const int most = std::uniform_int_distribution<int>(0, 40)(random);
      for (unsigned k = 0; k < workers; ++k) {
        loads[k] = std::uniform_int_distribution<int>(0, most)(random);
        for (load_type j = 0; j < loads[k]; ++j, ++spawned) {
          group.spawn([&ran] { ++ran; }, {.home = k});
        }
      }
      ASSERT_EQ(still.loads(), loads) << "case " << i;
      const plan carried = still.balance().planned;
      ASSERT_EQ(still.loads(), final_loads(carried, loads)) << "case " << i;
      ASSERT_EQ(ran, 0);
    }
    group.wait();
    ASSERT_EQ(ran, spawned) << "case " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    rounds, hold_with,
    testing::Values(held_case{8, "dem", "direct", 1000}, held_case{8, "oem", "phased", 1000},
                    held_case{16, "oem", "direct", 1000}, held_case{16, "dem", "phased", 1000},
                    held_case{64, "oem", "phased", 1000}, held_case{64, "dem", "direct", 1000},
                    held_case{5, "oem", "phased", 200}, held_case{3, "dem", "direct", 200},
                    held_case{8, "rotate", "phased", 200}, held_case{16, "random", "direct", 200}),
    [](const auto& c) {
      return std::get<1>(c.param) + "_" + std::get<2>(c.param) + "_" +
             std::to_string(std::get<0>(c.param));
    });

TEST(hold, is_refused_inside_a_task) {
  runtime rt({.workers = 2});
  rt.run([&] { EXPECT_THROW(static_cast<void>(rt.hold()), error); });
}

TEST(hold, stops_a_running_program_between_tasks) {
  runtime rt({.workers = 4});
  const test::deadline deadline(rt);
  std::atomic<long> ran{0};
  std::atomic<bool> enough{false};
  std::thread program([&] {
    rt.run([&] {
      while (!enough) {
        task_group group;
        for (int i = 0; i < 100; ++i) group.spawn([&ran] { ++ran; });
        group.wait();
      }
    });
  });
  for (int i = 0; i < 50; ++i) {
    // It has begun, and has gone on since the last time.
    for (const long then = ran; ran == then;) std::this_thread::yield();
    const hold_guard still = rt.hold();
    const long before = ran;
    for (int spin = 0; spin < 10'000; ++spin) ASSERT_EQ(ran, before);
  }
  enough = true;
  program.join();
}

// Other rounds, which the balancer's thread begins or another thread asks for, wait meanwhile.
class held_beside_rounds : public testing::TestWithParam<const char*> {};

TEST_P(held_beside_rounds, looks_at_loads_that_stay) {
  runtime rt({.workers = 8,
              .balancer = GetParam(),
              .mode = balancer_mode::thread,
              .period = std::chrono::microseconds{20}});
  const test::deadline deadline(rt, std::chrono::seconds{240});
  const std::jthread rounds([&](const std::stop_token& enough) {
    while (!enough.stop_requested()) static_cast<void>(rt.balance());
  });
  for (int i = 0; i < test::repetitions(100); ++i) {
    task_group group(rt);
    {
      hold_guard still = rt.hold();
      std::vector<load_type> loads(8);
      loads[0] = 500;
      loads[3] = 100;
      for (unsigned k = 0; k < 8; ++k) {
        for (load_type j = 0; j < loads[k]; ++j) group.spawn([] {}, {.home = k});
      }
      for (int look = 0; look < 20; ++look) ASSERT_EQ(still.loads(), loads) << "case " << i;
      const balancing_round carried = still.balance();
      ASSERT_EQ(carried.loads, loads) << "case " << i;
      ASSERT_EQ(still.loads(), final_loads(carried.planned, loads)) << "case " << i;
    }
    group.wait();
  }
}

INSTANTIATE_TEST_SUITE_P(strategies, held_beside_rounds, testing::Values("oem", "dem", "locality"),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
}  // namespace evencube::hold_test
