// Tasks that count for the time that earlier tasks of their function took.

#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <evencube/evencube.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "platform_here.hpp"
#include "tasks/task_profiles.hpp"

namespace evencube {
namespace {

using namespace std::chrono_literals;

void spin(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

load_type sum_of(const std::vector<load_type>& loads) {
  return std::accumulate(loads.begin(), loads.end(), load_type{0});
}

/// Functions whose types have different names.
struct long_one {
  void operator()() const { spin(2ms); }
};
struct short_one {
  void operator()() const { spin(200us); }
};
struct hinted_one {
  int units;
  void operator()() const { spin(units * 100us); }
};
struct later_one {
  void operator()(int) const { spin(300us); }
};
struct promised_one {
  int operator()() const {
    spin(300us);
    return 1;
  }
};

std::optional<task_cost> cost_called(const runtime& of, std::string_view name) {
  for (const task_cost& cost : of.stats().task_costs) {
    if (cost.name.find(name) != std::string::npos) return cost;
  }
  return std::nullopt;
}

/// Spawns until the runtime has `samples` samples of that function.
template <typename Spawn>
void until_measured(runtime& rt, std::string_view name, Spawn spawn, std::uint64_t samples = 3) {
  for (;;) {
    rt.run([&] {
      task_group group;
      for (int i = 0; i < 64; ++i) spawn(group);
      group.wait();
    });
    const auto cost = cost_called(rt, name);
    if (cost && cost->samples >= samples) return;
  }
}

TEST(measured_costs, are_the_time_that_tasks_of_a_function_took) {
  runtime rt({.workers = 2, .measured_costs = true});
  const test::deadline deadline(rt);
  until_measured(rt, "long_one", [](task_group& group) { group.spawn(long_one{}); });
  until_measured(rt, "short_one", [](task_group& group) { group.spawn(short_one{}); });
  const task_cost longer = cost_called(rt, "long_one").value();
  const task_cost shorter = cost_called(rt, "short_one").value();
  EXPECT_GE(longer.mean_seconds, 2e-3);
  EXPECT_GE(shorter.mean_seconds, 2e-4);
  EXPECT_GE(shorter.deviation_seconds, 0);
  const auto costs = rt.stats().task_costs;
  EXPECT_TRUE(std::is_sorted(costs.begin(), costs.end(), [](const auto& a, const auto& b) {
    return a.mean_seconds > b.mean_seconds;
  }));

  task_group group(rt);
  {
    const hold_guard still = rt.hold();
    for (unsigned i = 0; i < 10; ++i) group.spawn(long_one{}, {.home = i % 2});
    const load_type loads = sum_of(still.loads());
    EXPECT_GE(loads, 10 * 2000);
    EXPECT_EQ(loads % 10, 0) << "all alike, for nothing is measured meanwhile";
  }
  group.wait();
}

TEST(measured_costs, take_the_cost_that_is_said_for_a_factor) {
  runtime rt({.workers = 2, .measured_costs = true});
  const test::deadline deadline(rt);
  until_measured(rt, "hinted_one",
                 [](task_group& group) { group.spawn(hinted_one{4}, {.cost = 4}); });
  task_group group(rt);
  {
    const hold_guard still = rt.hold();
    for (unsigned i = 0; i < 10; ++i) group.spawn(hinted_one{1}, {.home = i % 2});
    const load_type ones = sum_of(still.loads());
    EXPECT_GE(ones, 10 * 100);
    for (unsigned i = 0; i < 10; ++i) {
      group.spawn(hinted_one{7}, {.cost = 7, .home = i % 2});
    }
    const load_type sevens = sum_of(still.loads()) - ones;
    EXPECT_NEAR(static_cast<double>(sevens), 7.0 * static_cast<double>(ones), 10 * 4)
        << "each is rounded to a microsecond";
  }
  group.wait();
}

TEST(measured_costs, are_those_of_futures_too) {
  runtime rt({.workers = 2, .measured_costs = true});
  const test::deadline deadline(rt);
  const auto done = [&](std::string_view name) {
    const auto cost = cost_called(rt, name);
    return cost && cost->samples >= 3;
  };
  while (!done("promised_one") || !done("continuation")) {
    std::vector<future<void>> ends;
    for (int i = 0; i < 64; ++i) ends.push_back(rt.async(promised_one{}).then(later_one{}));
    for (future<void>& end : ends) end.get();
  }
  EXPECT_GE(cost_called(rt, "promised_one")->mean_seconds, 3e-4);
  EXPECT_GE(cost_called(rt, "continuation")->mean_seconds, 3e-4);

  std::vector<future<int>> ends;
  {
    const hold_guard still = rt.hold();
    for (unsigned i = 0; i < 10; ++i) {
      ends.push_back(rt.async(promised_one{}, {.home = i % 2}));
    }
    EXPECT_GE(sum_of(still.loads()), 10 * 300);
  }
  for (future<int>& end : ends) end.get();
}

struct rare_one {
  void operator()() const { spin(50us); }
};

// Each comes from outside when all workers have parked, so each is found in a search.
TEST(measured_costs, are_those_of_rare_tasks_from_outside_too) {
  runtime rt({.workers = 2, .hotness = hotness::never, .measured_costs = true});
  const test::deadline deadline(rt);
  const auto parks = [&] {
    std::uint64_t all = 0;
    for (const worker_statistics& worker : rt.stats().workers) all += worker.parks;
    return all;
  };
  task_group group(rt);
  for (;;) {
    const auto cost = cost_called(rt, "rare_one");
    if (cost && cost->samples >= 3) break;
    const std::uint64_t before = parks();
    group.spawn(rare_one{});
    while (parks() == before) std::this_thread::yield();
  }
  group.wait();
}

struct waiting_one {
  void operator()() const {
    task_group group;
    group.spawn([] { spin(1ms); });
    group.wait();
  }
};

// Time in which a task runs others during a wait, or sleeps, is not its own time. If the system
// stops the task before its wait and another worker runs the awaited task meanwhile, it does not
// wait.
TEST(measured_costs, leave_out_tasks_that_waited) {
  runtime rt({.workers = 2, .measured_costs = true});
  const test::deadline deadline(rt);
  for (int i = 0; i < 10; ++i) {
    rt.run([&] {
      task_group group;
      for (int k = 0; k < 64; ++k) group.spawn(waiting_one{});
      group.wait();
    });
  }
  const auto cost = cost_called(rt, "waiting_one");
  EXPECT_LT(cost ? cost->samples : 0, 64U);
}

TEST(measured_costs, are_not_measured_unless_asked_for) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 200; ++i) group.spawn(long_one{});
    group.wait();
  });
  EXPECT_TRUE(rt.stats().task_costs.empty());
  task_group group(rt);
  {
    const hold_guard still = rt.hold();
    for (unsigned i = 0; i < 10; ++i) group.spawn(long_one{}, {.home = i % 2});
    EXPECT_EQ(sum_of(still.loads()), 10);
  }
  group.wait();
}

// Ten tasks of a thousand quanta are ten thousand quanta. A worker without tasks takes half: five
// tasks.
TEST(measured_costs, are_what_an_idle_worker_pulls_by) {
  runtime rt({.workers = 2, .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  rt.run([&] {
    std::atomic<bool> busy{false};
    std::atomic<bool> spawned{false};
    std::atomic<bool> over{false};
    task_group group;
    group.spawn(
        [&] {
          busy = true;
          while (!spawned) std::this_thread::yield();
        },
        {.home = 1});
    while (!busy) std::this_thread::yield();
    const std::uint64_t before = rt.stats().tasks_moved;
    for (int i = 0; i < 10; ++i) {
      group.spawn(
          [&over] {
            while (!over) std::this_thread::yield();
          },
          {.cost = 1000});
    }
    spawned = true;
    while (rt.stats().tasks_moved == before) std::this_thread::yield();
    EXPECT_LE(rt.stats().tasks_moved - before, 6U);
    over = true;
    group.wait();
  });
}

void no_task(detail::task& /*unused*/, detail::runner& /*unused*/) noexcept {}

TEST(task_profile, begins_at_the_least_of_three_and_follows) {
  detail::measured_profile profile(&no_task, detail::profiled::spawned, "");
  EXPECT_EQ(profile.cost(1), 1U);
  EXPECT_EQ(profile.cost(30), 30U);
  profile.add(900'000, 1);
  profile.add(100'000, 1);
  EXPECT_FALSE(profile.known());
  EXPECT_EQ(profile.cost(30), 30U);
  profile.add(110'000, 1);
  EXPECT_TRUE(profile.known());
  EXPECT_EQ(profile.cost(1), 100U);
  EXPECT_EQ(profile.cost(30), 3000U);
  EXPECT_EQ(profile.cost(60000), detail::max_cost);

  profile.add(50'000'000, 1);  // the system ran something else
  EXPECT_LT(profile.cost(1), 140U);
  for (int i = 0; i < 24; ++i) profile.add(1'000'000, 1);
  EXPECT_NEAR(profile.cost(1), 1000, 100);
  for (int i = 0; i < 32; ++i) profile.add(4 * 200, 4);
  EXPECT_LT(profile.cost(1), 20U);
  for (int i = 0; i < 64; ++i) profile.add(4 * 200, 4);
  EXPECT_EQ(profile.cost(1), 1U);
  EXPECT_EQ(profile.cost(100), 20U) << "a fifth of a microsecond each";
  EXPECT_EQ(profile.report().samples, 3U + 1 + 24 + 96);
}

#if !defined(_WIN32)  // which has no `fork`
// Profiles that threads of the parent held at the fork stay with these threads.
TEST(task_profile, is_free_in_a_forked_child) {
  const runtime made_before;  // runtimes install the handler of forks
  detail::measured_profile* const profile = [] {
    static_cast<void>(find_or_make_profile(&no_task, detail::profiled::spawned, &typeid(int)));
    return detail::find_profile(&no_task);
  }();
  ASSERT_NE(profile, nullptr);
  if (!test::follows_forks()) GTEST_SKIP() << "the platform follows no forks";
  std::atomic<bool> over{false};
  std::thread sampling([&] {
    while (!over) profile->add(1000, 1);
  });
  std::thread adding([&] {
    while (!over) {
      static_cast<void>(find_or_make_profile(&no_task, detail::profiled::spawned, &typeid(int)));
    }
  });
  for (int i = 0; i < 100; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(30);
      static_cast<void>(find_or_make_profile(&no_task, detail::profiled::spawned, &typeid(int)));
      static_cast<void>(detail::measured_costs());
      std::_Exit(0);
    }
    int status = 1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "stuck";
    if (status != 0) break;
  }
  over = true;
  sampling.join();
  adding.join();
}
#endif

TEST(task_profile, is_one_for_each_function_and_there_are_at_most_4096) {
  const auto in_a_process_of_its_own = [] {
    const auto function = [](std::uintptr_t address) {
      return reinterpret_cast<void (*)(detail::task&, detail::runner&) noexcept>(address);
    };
    const auto check = [](bool holds) {
      if (!holds) std::_Exit(1);
    };
    std::uintptr_t i = 1;  // this process has some profiles already
    while (find_or_make_profile(function(16 * i), detail::profiled::spawned, &typeid(int)) !=
           nullptr) {
      check(++i <= 4097);
    }
    check(i > 4000);
    for (std::uintptr_t k = 1; k < i; ++k) {
      check(detail::find_profile(function(16 * k))->execute() == function(16 * k));
    }
    check(detail::find_profile(function(16 * i)) == nullptr);
    // Another function in the place of an earlier one: it is not known.
    auto* const first = detail::find_profile(function(16));
    for (int n = 0; n < 3; ++n) first->add(1'000'000, 1);
    check(first->cost(1) == 1000);
    check(find_or_make_profile(function(16), detail::profiled::spawned, &typeid(int)) == first);
    check(first->cost(1) == 1000);
    check(find_or_make_profile(function(16), detail::profiled::future, &typeid(long)) == first);
    check(first->cost(1) == 1 && first->report().name == "long");
    std::_Exit(0);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace evencube
