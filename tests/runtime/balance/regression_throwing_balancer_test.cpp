// A balancer that throws, or one without memory, in a round that the runtime began by itself used
// to end the program: the round is dropped and counted, and the work goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "deadline.hpp"

namespace evencube::regression_throwing_balancer_test {
namespace {

/// Plans nothing for nobody, and throws where there is work.
class thrower final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "thrower"; }
  void make_plan(const balance_request& request, plan& out) const override {
    reset_plan(out, 0);
    if (std::ranges::any_of(request.loads, [](load_type load) { return load > 0; })) {
      throw std::runtime_error("no plan");
    }
  }
};

/// The same in every test; registered once.
const std::string& registered_thrower() {
  static const std::string name = [] {
    balancer_descriptor about;
    about.name = "thrower";
    about.summary = "throws where there is work";
    about.make = [](const balancer_options&) { return std::make_unique<thrower>(); };
    register_balancer(about);
    return about.name;
  }();
  return name;
}

class throwing_balancer : public testing::TestWithParam<balancer_mode> {};

TEST_P(throwing_balancer, leaves_the_work_where_it_is) {
  runtime rt({.workers = 3, .balancer = registered_thrower(), .mode = GetParam()});
  const test::deadline deadline(rt);
  constexpr int tasks = 300;
  std::atomic<int> ran{0};
  int spawned = 0;
  // Until a round has failed: on a busy machine nobody may plan in time.
  do {
    rt.run([&] {
      task_group group;
      for (int i = 0; i < tasks; ++i) {
        group.spawn([&] {
          ++ran;
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        });
      }
      group.wait();
    });
    spawned += tasks;
  } while (rt.stats().failed_rounds == 0);
  EXPECT_EQ(ran, spawned);
  EXPECT_EQ(rt.stats().rounds, 0U);
  rt.reset_stats();
  EXPECT_EQ(rt.stats().failed_rounds, 0U);
}

INSTANTIATE_TEST_SUITE_P(led_by, throwing_balancer,
                         testing::Values(balancer_mode::thread, balancer_mode::on_idle),
                         [](const auto& c) {
                           return c.param == balancer_mode::thread ? "a_thread" : "the_idle";
                         });

TEST(throwing_balancer_held, throws_to_who_asks_for_a_round) {
  runtime rt({.workers = 2, .balancer = registered_thrower(), .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  task_group group(rt);
  {
    hold_guard still = rt.hold();
    for (int i = 0; i < 10; ++i) group.spawn([] {}, {.home = 0});
    EXPECT_THROW(still.balance(), std::runtime_error);
  }
  group.wait();
}

/// Plans one transfer, allowed or not.
class stray final : public balancer {
 public:
  explicit stray(transfer only) : only_(only) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "stray"; }
  void make_plan(const balance_request& request, plan& out) const override {
    reset_plan(out, 0);
    if (std::ranges::any_of(request.loads, [](load_type load) { return load > 0; })) {
      out.phases.push_back({only_});
    }
  }

 private:
  transfer only_;
};

TEST(stray_plan, is_refused_with_nothing_moved) {
  const transfer bad[] = {{0, 4, 1}, {7, 0, 1}, {0, 3, 1}, {2, 2, 1}, {0, 1, -1}, {0, 1, 11}};
  for (const transfer& t : bad) {
    const std::string name = "stray_" + std::to_string(&t - bad);
    balancer_descriptor about;
    about.name = name;
    about.summary = "sends what it must not";
    about.make = [t](const balancer_options&) { return std::make_unique<stray>(t); };
    register_balancer(about);
    runtime rt({.workers = 4, .balancer = name, .mode = balancer_mode::on_demand});
    const test::deadline deadline(rt);
    task_group group(rt);
    {
      hold_guard still = rt.hold();
      for (int i = 0; i < 10; ++i) group.spawn([] {}, {.home = 0});
      EXPECT_THROW(still.balance(), std::invalid_argument) << name;
      EXPECT_EQ(still.loads().front(), 10);
    }
    group.wait();
  }
}

}  // namespace
}  // namespace evencube::regression_throwing_balancer_test
