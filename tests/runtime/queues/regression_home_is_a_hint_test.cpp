// A task that was sent to a worker used to be out of reach of the other workers, and invisible to
// balancers, until that worker looked. It waited for the end of a long task next to idle workers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::regression_home_is_a_hint_test {
namespace {

using namespace std::chrono_literals;

/// Lasts until `end` is set, or far too long.
struct long_task {
  std::atomic<bool> begun{false};
  std::atomic<bool> end{false};
  std::atomic<bool> gave_up{false};

  void operator()() {
    begun = true;
    const auto last = std::chrono::steady_clock::now() + 20s;
    while (!end && !gave_up) {
      if (std::chrono::steady_clock::now() > last) gave_up = true;
      std::this_thread::yield();
    }
  }
};

class home_is_a_hint : public testing::TestWithParam<unsigned> {};

TEST_P(home_is_a_hint, from_outside) {
  runtime rt({.workers = GetParam()});
  const test::deadline deadline(rt, 120s);
  for (std::int64_t home = 1; home < std::int64_t{rt.workers()}; ++home) {
    long_task lasting;
    task_group busy(rt);
    busy.spawn([&] { lasting(); }, {.home = home});
    while (!lasting.begun) std::this_thread::yield();
    task_group sent(rt);
    sent.spawn([&] { lasting.end = true; }, {.home = home});
    sent.wait();
    busy.wait();
    EXPECT_FALSE(lasting.gave_up) << "home " << home;
  }
}

// The waiter, or any idle worker, runs it.
TEST_P(home_is_a_hint, from_a_task_that_waits) {
  runtime rt({.workers = GetParam()});
  const test::deadline deadline(rt, 120s);
  rt.run([&] {
    for (std::int64_t home = 1; home < std::int64_t{rt.workers()}; ++home) {
      long_task lasting;
      task_group busy;
      busy.spawn([&] { lasting(); }, {.home = home});
      while (!lasting.begun) std::this_thread::yield();
      task_group sent;
      sent.spawn([&] { lasting.end = true; }, {.home = home});
      sent.wait();
      busy.wait();
      EXPECT_FALSE(lasting.gave_up) << "home " << home;
    }
  });
}

// No task waits for it: an idle worker must come by itself.
TEST_P(home_is_a_hint, from_a_task_that_works_on) {
  runtime rt({.workers = GetParam()});
  if (rt.workers() < 3) GTEST_SKIP() << "needs an idle worker and two that work";
  const test::deadline deadline(rt, 120s);
  rt.run([&] {
    for (std::int64_t home = 1; home < std::int64_t{rt.workers()}; ++home) {
      long_task lasting;
      task_group group;
      group.spawn([&] { lasting(); }, {.home = home});
      while (!lasting.begun) std::this_thread::yield();
      group.spawn([&] { lasting.end = true; }, {.home = home});
      while (!lasting.end && !lasting.gave_up) std::this_thread::yield();
      group.wait();
      EXPECT_FALSE(lasting.gave_up) << "home " << home;
    }
  });
}

// Many tasks at once are sent to one worker, and the first is long.
TEST_P(home_is_a_hint, of_many_tasks_at_one_worker) {
  runtime rt({.workers = GetParam()});
  const test::deadline deadline(rt, 120s);
  constexpr int tasks = 100;
  long_task lasting;
  std::atomic<int> ran{0};
  task_group busy(rt);
  busy.spawn([&] { lasting(); }, {.home = rt.workers() - 1});
  while (!lasting.begun) std::this_thread::yield();
  task_group sent(rt);
  for (int i = 0; i < tasks; ++i) {
    sent.spawn(
        [&] {
          if (++ran == tasks) lasting.end = true;
        },
        {.home = rt.workers() - 1});
  }
  sent.wait();
  busy.wait();
  EXPECT_FALSE(lasting.gave_up);
  EXPECT_EQ(ran, tasks);
}

INSTANTIATE_TEST_SUITE_P(workers, home_is_a_hint, testing::Values(2, 3, 4, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

/// The last loads that a balancer was asked about; the balancer moves nothing.
struct seen_loads {
  std::mutex mutex;
  std::vector<load_type> last;
};
seen_loads& seen() {
  static seen_loads them;
  return them;
}

class onlooker final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "onlooker"; }
  void make_plan(const balance_request& request, plan& out) const override {
    reset_plan(out, 0);
    const std::lock_guard lock(seen().mutex);
    seen().last.assign(request.loads.begin(), request.loads.end());
  }
};

const std::string& registered_onlooker() {
  static const std::string name = [] {
    balancer_descriptor about;
    about.name = "onlooker";
    about.summary = "looks at the loads and moves nothing";
    about.make = [](const balancer_options&) { return std::make_unique<onlooker>(); };
    register_balancer(about);
    return about.name;
  }();
  return name;
}

class sent_tasks : public testing::TestWithParam<unsigned> {};

// All workers are busy, so no worker takes a task that is sent to another one: the balancer sees
// the task there.
TEST_P(sent_tasks, are_part_of_the_load_that_a_balancer_sees) {
  const unsigned workers = GetParam();
  runtime rt(
      {.workers = workers, .balancer = registered_onlooker(), .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt, 120s);
  std::vector<long_task> lasting(workers);
  std::jthread caller([&] { rt.run([&] { lasting.front()(); }); });
  while (!lasting.front().begun) std::this_thread::yield();
  task_group busy(rt);
  for (unsigned k = 1; k < workers; ++k) {
    busy.spawn([&task = lasting[k]] { task(); }, {.home = k});
  }
  for (const auto& task : lasting) {
    while (!task.begun) std::this_thread::yield();
  }
  constexpr int tasks = 10;
  constexpr int cost = 3;
  task_group sent(rt);
  for (int i = 0; i < tasks; ++i) sent.spawn([] {}, {.cost = cost, .home = workers - 1});
  static_cast<void>(rt.balance());
  {
    const std::lock_guard lock(seen().mutex);
    ASSERT_EQ(seen().last.size(), workers);
    EXPECT_GE(seen().last.back(), tasks * cost);
  }
  for (auto& task : lasting) task.end = true;
  sent.wait();
  busy.wait();
}

// A worker in a task that spawns can be held between two spawns, so a holder can look.
TEST_P(sent_tasks, are_counted_while_all_stand_still) {
  const unsigned workers = GetParam();
  runtime rt({.workers = workers, .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt, 120s);
  std::vector<std::atomic<bool>> begun(workers);
  std::atomic<bool> end{false};
  const auto spawning = [&](unsigned k) {
    begun[k] = true;
    while (!end) {
      fork_join([] { std::this_thread::yield(); }, [] {});
    }
  };
  std::jthread caller([&] { rt.run([&] { spawning(0); }); });
  while (!begun[0]) std::this_thread::yield();
  task_group busy(rt);
  for (unsigned k = 1; k < workers; ++k) busy.spawn([&, k] { spawning(k); }, {.home = k});
  for (const auto& b : begun) {
    while (!b) std::this_thread::yield();
  }
  constexpr int tasks = 10;
  constexpr int cost = 3;
  task_group sent(rt);
  for (int i = 0; i < tasks; ++i) sent.spawn([] {}, {.cost = cost, .home = workers - 1});
  {
    const auto still = rt.hold();
    load_type all = 0;
    for (const load_type load : still.loads()) all += load;
    EXPECT_GE(all, tasks * cost);
    EXPECT_LE(all, tasks * cost + load_type{workers});  // each worker may offer a fork
  }
  end = true;
  sent.wait();
  busy.wait();
}

INSTANTIATE_TEST_SUITE_P(workers, sent_tasks, testing::Values(2, 3, 4),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_home_is_a_hint_test
