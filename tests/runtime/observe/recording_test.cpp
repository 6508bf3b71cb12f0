// The contents of recordings of programs whose tasks are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::recording_test {
namespace {

constexpr std::uint32_t none = recording::none;

runtime_options with(unsigned workers, const char* balancer = "oem") {
  runtime_options options;
  options.workers = workers;
  options.balancer = balancer;
  return options;
}

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::size_t children_of(const recording& take, std::uint32_t parent) {
  return static_cast<std::size_t>(std::ranges::count(take.tasks, parent, &recording::task::parent));
}

/// The conditions that hold for every recording.
void expect_consistent(const recording& take, unsigned workers) {
  for (std::size_t i = 0; i < take.tasks.size(); ++i) {
    const recording::task& t = take.tasks[i];
    EXPECT_LT(t.worker, workers) << i;
    EXPECT_LT(t.home, workers) << i;
    EXPECT_LE(t.spawned, t.started) << i;
    EXPECT_LE(t.started, t.ended) << i;
    EXPECT_LE(t.ended, take.duration) << i;
    if (t.parent == none) continue;
    ASSERT_LT(t.parent, take.tasks.size()) << i;
    const recording::task& parent = take.tasks[t.parent];
    EXPECT_EQ(t.spawned_by, parent.worker) << i;
    EXPECT_GE(t.spawned, parent.started) << i;
    EXPECT_LE(t.spawned, parent.ended) << i;
  }
  std::map<std::uint32_t, std::uint64_t> last_start;  // of the tasks of each group
  for (const recording::task& t : take.tasks) {
    last_start[t.group] = std::max(last_start[t.group], t.started);
  }
  for (const recording::wait& w : take.waits) {
    ASSERT_LT(w.waiting, take.tasks.size());
    EXPECT_GE(w.began, take.tasks[w.waiting].started);
    EXPECT_LE(w.began, w.ended);
    EXPECT_LE(w.ended, take.tasks[w.waiting].ended);
    // All awaited tasks had run to their end, except for recording that.
    EXPECT_LE(last_start[w.group], w.ended);
  }
  // Each task's journey is a chain from its home to the worker that ran it.
  std::map<std::uint32_t, std::vector<recording::migration>> journeys;
  for (const recording::migration& m : take.migrations) {
    ASSERT_LT(m.moved, take.tasks.size());
    EXPECT_NE(m.from, m.to);
    if (m.round != none && m.round != recording::rescued) {
      ASSERT_LT(m.round, take.rounds.size());
      EXPECT_GE(m.time, take.rounds[m.round].time);
    }
    journeys[m.moved].push_back(m);
  }
  for (std::uint32_t i = 0; i < take.tasks.size(); ++i) {
    std::uint32_t at = take.tasks[i].home;
    for (const recording::migration& m : journeys[i]) {
      EXPECT_EQ(m.from, at) << "task " << i;
      EXPECT_LE(m.time, take.tasks[i].started);
      at = m.to;
    }
    EXPECT_EQ(take.tasks[i].worker, at) << "task " << i;
  }
  for (const recording::round& r : take.rounds) EXPECT_EQ(r.loads.size(), workers);
}

TEST(recording, has_every_task_of_a_group_once) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    runtime cube(with(workers));
    const test::deadline limit(cube);
    cube.start_recording();
    cube.run([] {
      task_group group;
      for (int i = 0; i < 100; ++i) group.spawn([] { work_for(std::chrono::microseconds(20)); });
      group.wait();
    });
    const recording take = cube.stop_recording();
    expect_consistent(take, workers);
    ASSERT_EQ(take.tasks.size(), 101U);
    EXPECT_EQ(take.tasks[0].parent, none);
    EXPECT_EQ(children_of(take, 0), 100U);
    EXPECT_FALSE(take.cut);
    // Each task was spawned, started and ended.
    EXPECT_GE(take.bytes, 100 * 3 * std::size_t{24});
    // There is one wait; the group's destructor had nothing left to wait for.
    ASSERT_EQ(take.waits.size(), 1U);
    for (std::uint32_t i = 1; i < 101; ++i) {
      EXPECT_EQ(take.tasks[i].group, take.waits[0].group);
      EXPECT_GE(take.tasks[i].ended - take.tasks[i].started, 20'000U);
    }
  }
}

// The tasks had no worker before they began: their home is where they began.
TEST(recording, has_tasks_of_all_priorities) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    runtime cube(with(workers));
    const test::deadline limit(cube);
    cube.start_recording();
    task_group outside(cube);
    constexpr priority levels[] = {priority::high, priority::normal, priority::low};
    for (int i = 0; i < 30; ++i) outside.spawn([] {}, {.priority = levels[i % 3]});
    cube.run([&] {
      task_group group;
      for (int i = 0; i < 30; ++i) {
        group.spawn([] { work_for(std::chrono::microseconds(20)); }, {.priority = levels[i % 3]});
      }
      group.wait();
      cube.async([] { return 1; }, {.priority = priority::low}).wait();
    });
    outside.wait();
    const recording take = cube.stop_recording();
    expect_consistent(take, workers);
    ASSERT_EQ(take.tasks.size(), 62U);
    std::set<std::uint32_t> moved;
    for (const recording::migration& m : take.migrations) moved.insert(m.moved);
    EXPECT_LE(moved.size(), 20U) << "only normal ones travel";
  }
}

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

TEST(recording, has_every_fork_with_the_task_that_made_it) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    runtime cube(with(workers));
    const test::deadline limit(cube);
    cube.start_recording();
    EXPECT_EQ(cube.run([] { return fibonacci(12); }), 144);
    const recording take = cube.stop_recording();
    expect_consistent(take, workers);
    // fibonacci(n) forks F(n + 1) - 1 times.
    EXPECT_EQ(take.tasks.size(), 1U + 232U);
    EXPECT_EQ(take.waits.size(), 232U);
    // Each fork is waited for by itself, by its parent.
    std::map<std::uint32_t, std::uint32_t> waited_by;
    for (const recording::wait& w : take.waits) {
      EXPECT_TRUE(waited_by.emplace(w.group, w.waiting).second);
    }
    for (std::uint32_t i = 1; i < take.tasks.size(); ++i) {
      EXPECT_EQ(waited_by.at(take.tasks[i].group), take.tasks[i].parent);
    }
    // The root calls fibonacci(12), (11), ... (2) itself: one fork each.
    EXPECT_EQ(children_of(take, 0), 11U);
  }
}

TEST(recording, has_the_pieces_of_a_loop) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  std::atomic<int> calls = 0;
  cube.run([&] {
    parallel_for(0, 64,
                 [&](int) {
                   work_for(std::chrono::microseconds(10));
                   calls.fetch_add(1);
                 },
                 {.grain = 1});
  });
  const recording take = cube.stop_recording();
  EXPECT_EQ(calls, 64);
  expect_consistent(take, 2);
  // Eight pieces for each worker; each piece may be halved.
  EXPECT_GE(take.tasks.size(), 16U);
  EXPECT_LE(take.tasks.size(), 64U);
}

// A lone worker shares nothing by itself: only the recording makes it look at every fork.
TEST(recording, knows_the_forks_inside_of_a_loop_on_one_worker) {
  runtime cube(with(1, "none"));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([] { parallel_for(0, 64, [](int) { fork_join([] {}, [] {}); }, {.grain = 1}); });
  const recording take = cube.stop_recording();
  expect_consistent(take, 1);
  EXPECT_GE(take.tasks.size(), 65U);
}

TEST(recording, places_tasks_at_their_homes) {
  runtime cube(with(3, "none"));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([] {
    task_group group;
    for (int i = 0; i < 30; ++i) {
      group.spawn([] { work_for(std::chrono::microseconds(5)); }, {.home = i % 3});
    }
    group.wait();
  });
  const recording take = cube.stop_recording();
  expect_consistent(take, 3);
  ASSERT_EQ(take.tasks.size(), 31U);
  for (std::uint32_t i = 1; i < 31; ++i) {
    EXPECT_EQ(take.tasks[i].home, (i - 1) % 3);
    EXPECT_EQ(take.tasks[i].spawned_by, 0U);
  }
}

TEST(recording, has_the_costs_of_tasks) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([] {
    task_group group;
    for (std::uint32_t cost = 1; cost <= 65536; cost *= 4) {
      group.spawn([] {}, {.cost = cost, .name = "spawned"});
    }
    group.wait();
    this_task::runtime()->async([] {}, {.cost = 7, .name = "future"}).get();
    fork_join([] {}, [] {});
  });
  task_group outside(cube);
  outside.spawn([] {}, {.cost = 11, .name = "outside"});
  outside.spawn([] {}, {.cost = 13, .home = 1, .name = "outside"});
  outside.wait();
  const recording take = cube.stop_recording();
  std::map<std::string, std::multiset<std::uint32_t>> costs;
  for (const recording::task& t : take.tasks) {
    if (t.name != none) costs[take.names[t.name]].insert(t.cost);
  }
  EXPECT_EQ(costs["spawned"],
            (std::multiset<std::uint32_t>{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536}));
  EXPECT_EQ(costs["future"], (std::multiset<std::uint32_t>{7}));
  EXPECT_EQ(costs["outside"], (std::multiset<std::uint32_t>{11, 13}));
  EXPECT_EQ(costs["run"], (std::multiset<std::uint32_t>{1}));
}

TEST(recording, has_tasks_from_outside_without_a_parent) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&cube] {
        task_group group(cube);
        for (int i = 0; i < 20; ++i) {
          group.spawn([] { fork_join([] {}, [] {}); },
                      {.home = i % 2 == 0 ? std::nullopt : std::optional{1U}});
        }
        group.wait();
      });
    }
  }
  const recording take = cube.stop_recording();
  expect_consistent(take, 2);
  EXPECT_EQ(take.tasks.size(), 80U);
  EXPECT_EQ(children_of(take, none), 40U);
}

TEST(recording, survives_exceptions) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  int thrown = 0;
  for (int i = 0; i < 50; ++i) {
    try {
      cube.run([i] {
        fork_join(
            [i] {
              if (i % 2 == 0) throw std::runtime_error("left");
            },
            [i] {
              if (i % 2 == 1) throw std::runtime_error("right");
            });
      });
    } catch (const std::runtime_error& problem) {
      EXPECT_STREQ(problem.what(), i % 2 == 0 ? "left" : "right");
      ++thrown;
    }
  }
  const recording take = cube.stop_recording();
  EXPECT_EQ(thrown, 50);
  expect_consistent(take, 2);
  // A right half that was dropped by its left half's exception never began.
  EXPECT_EQ(children_of(take, none), 50U);
  EXPECT_GE(take.tasks.size(), 75U);
  EXPECT_LE(take.tasks.size(), 100U);
}

TEST(recording, has_the_rounds_and_who_they_moved) {
  runtime cube(with(4));
  const test::deadline limit(cube);
  cube.start_recording();
  {
    task_group group(cube);
    {
      hold_guard held = cube.hold();
      for (int i = 0; i < 200; ++i) {
        group.spawn([] { work_for(std::chrono::microseconds(100)); }, {.home = 0});
      }
      held.balance();
    }
    group.wait();
  }
  const auto moved = cube.stats().tasks_moved;
  const recording take = cube.stop_recording();
  expect_consistent(take, 4);
  // The held round left a quarter of the tasks where they were.
  EXPECT_GE(moved, 150U);
  EXPECT_GE(take.migrations.size(), moved);
  EXPECT_GE(take.rounds.size(), 1U);
}

TEST(recording, of_a_held_round_is_that_round) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  plan carried;
  std::vector<load_type> seen;
  {
    task_group group(cube);
    std::atomic<bool> go = false;
    {
      // Worker 1 is busy while tasks gather behind it.
      group.spawn(
          [&] {
            while (!go) std::this_thread::yield();
          },
          {.home = 1});
      for (int i = 0; i < 9; ++i) group.spawn([] {}, {.home = 1});
      std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        go = true;
      });
      hold_guard still = cube.hold();
      seen = still.loads();
      carried = still.balance().planned;
    }
    group.wait();
  }
  const recording take = cube.stop_recording();
  expect_consistent(take, 2);
  const auto found = std::ranges::find_if(take.rounds, [&](const recording::round& r) {
    return r.loads == seen && r.planned == carried;
  });
  EXPECT_NE(found, take.rounds.end());
}

TEST(recording, is_cut_when_its_memory_is_used_up) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording({.memory = std::size_t{1} << 20});
  std::atomic<int> ran = 0;
  cube.run([&] {
    for (int wave = 0; wave < 100; ++wave) {
      task_group group;
      for (int i = 0; i < 1'000; ++i) {
        group.spawn([&] { ran.fetch_add(1, std::memory_order_relaxed); });
      }
      group.wait();
    }
  });
  const recording take = cube.stop_recording();
  EXPECT_EQ(ran, 100'000);
  EXPECT_TRUE(take.cut);
  EXPECT_LT(take.tasks.size(), 50'000U);
  EXPECT_GT(take.tasks.size(), 1'000U);
  expect_consistent(take, 2);
}

TEST(recording, can_begin_and_end_amid_work) {
  runtime cube(with(2));
  test::deadline limit(cube);
  std::atomic<bool> stop = false;
  std::jthread busy([&] {
    cube.run([&] {
      while (!stop) {
        EXPECT_EQ(fibonacci(10), 55);
        task_group group;
        for (int i = 0; i < 20; ++i) group.spawn([] { fork_join([] {}, [] {}); });
        group.wait();
      }
    });
  });
  for (int i = 0; i < 20; ++i) {
    cube.start_recording();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    expect_consistent(cube.stop_recording(), 2);
    limit.renew();
  }
  stop = true;
}

struct unnamed_work {
  void operator()() const { work_for(std::chrono::microseconds(1)); }
};

std::string name_of(const recording& take, const recording::task& t) {
  return t.name == none ? "" : take.names.at(t.name);
}

std::map<std::string, int> tasks_by_name(const recording& take) {
  std::map<std::string, int> count;
  for (const recording::task& t : take.tasks) ++count[name_of(take, t)];
  return count;
}

TEST(recording, knows_tasks_by_the_names_they_were_given_and_else_by_their_types) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([&] {
    task_group group;
    for (int i = 0; i < 10; ++i) group.spawn(unnamed_work{}, {.name = "tile"});
    for (int i = 0; i < 20; ++i) group.spawn(unnamed_work{});
    group.spawn(unnamed_work{}, {.cost = 3, .name = "costly"});
    group.spawn(unnamed_work{}, {.home = 1, .name = "sent"});
    group.spawn(unnamed_work{}, {.priority = priority::high, .name = "urgent"});
    fork_join(unnamed_work{}, unnamed_work{});
    group.wait();
    cube.async(unnamed_work{}, {.name = "future"}).then([] {}, {.name = "after"}).get();
  });
  task_group outside(cube);
  outside.spawn(unnamed_work{}, {.name = "from outside"});
  outside.wait();
  cube.async([] { return 1; }, {.name = "asked from outside"}).get();
  const recording take = cube.stop_recording();
  const std::map<std::string, int> count = tasks_by_name(take);
  const auto of = [&](const std::string& name) {
    const auto found = count.find(name);
    return found == count.end() ? 0 : found->second;
  };
  EXPECT_EQ(of("tile"), 10);
  EXPECT_EQ(of("evencube::recording_test::(anonymous namespace)::unnamed_work"),
            21);  // and the fork
  for (const char* const once : {"run", "costly", "sent", "urgent", "future", "after",
                                 "from outside", "asked from outside"}) {
    EXPECT_EQ(of(once), 1) << once;
  }
  EXPECT_EQ(of(""), 0);
  EXPECT_EQ(std::set<std::string>(take.names.begin(), take.names.end()).size(), take.names.size());
}

// A worker that ended a task used to note the continuation after it had handed it to the waiter, so
// the recording could have its begin before its spawn, and lost the task.
TEST(recording, has_continuations_that_waiters_are_handed) {
  constexpr int tasks = 16;
  constexpr int rounds = 3000;
  runtime cube(with(8));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([&] {
    task_group group;
    for (int t = 0; t < tasks; ++t) {
      group.spawn([&] {
        for (int i = 0; i < rounds; ++i) {
          cube.async(unnamed_work{}, {.name = "first"}).then([] {}, {.name = "after"}).get();
        }
      });
    }
    group.wait();
  });
  const recording take = cube.stop_recording();
  std::map<std::string, int> count = tasks_by_name(take);
  EXPECT_EQ(count["first"], tasks * rounds);
  EXPECT_EQ(count["after"], tasks * rounds);
}

TEST(recording, has_continuations_that_threads_outside_release) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  cube.start_recording();
  for (const auto& [level, home] : {std::pair{priority::normal, std::optional<unsigned>{}},
                                    std::pair{priority::normal, std::optional<unsigned>{1}},
                                    std::pair{priority::high, std::optional<unsigned>{}}}) {
    promise<int> kept(cube);
    future<void> after =
        kept.get_future().then([](int) {}, {.home = home, .priority = level, .name = "after"});
    kept.set_value(1);
    after.get();
  }
  const recording take = cube.stop_recording();
  EXPECT_EQ(tasks_by_name(take), (std::map<std::string, int>{{"after", 3}}));
  EXPECT_EQ(std::ranges::count(take.tasks, none, &recording::task::parent), 3);
}

TEST(recording, keeps_the_beginning_of_a_long_name) {
  const std::string name = std::string(239, 'x') + "\u00e4" + std::string(1000, 'y');
  runtime cube(with(1));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([&] {
    task_group group;
    group.spawn([] {}, {.name = name.c_str()});
    group.wait();
  });
  const recording take = cube.stop_recording();
  EXPECT_EQ(tasks_by_name(take)[std::string(239, 'x') + "..."], 1);
}

TEST(recording, has_the_regions_and_counters_of_its_tasks) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  const auto work = [&] {
    const trace_region outer("phase");
    for (int i = 0; i < 3; ++i) {
      const trace_region inner("step");
      work_for(std::chrono::microseconds(2));
    }
    trace_counter("cells", 2.5);
    trace_counter("cells", std::numeric_limits<double>::quiet_NaN());
  };
  work();  // neither recorded nor in a task
  cube.run(work);
  cube.start_recording();
  work();  // in no task
  cube.run([&] {
    task_group group;
    for (int i = 0; i < 40; ++i) group.spawn(work);
    group.wait();
  });
  const recording take = cube.stop_recording();
  std::map<std::string, int> regions;
  for (const recording::region& r : take.regions) {
    ++regions[take.names.at(r.name)];
    ASSERT_LT(r.within, take.tasks.size());
    EXPECT_LE(take.tasks[r.within].started, r.began);
    EXPECT_LE(r.began, r.ended);
    EXPECT_LE(r.ended, take.tasks[r.within].ended);
  }
  EXPECT_EQ(regions, (std::map<std::string, int>{{"phase", 40}, {"step", 120}}));
  ASSERT_EQ(take.counts.size(), 40u);
  std::uint64_t before = 0;
  for (const recording::count& c : take.counts) {
    EXPECT_EQ(take.names.at(c.name), "cells");
    EXPECT_EQ(c.value, 2.5);
    EXPECT_LT(c.worker, 2u);
    EXPECT_LE(before, c.time);
    before = c.time;
  }
}

// Regions that no task of the recording begins and ends are left out, and end no other region.
TEST(recording, ends_a_region_with_its_task_at_the_latest) {
  runtime cube(with(1));
  const test::deadline limit(cube);
  cube.start_recording();
  cube.run([&] {
    auto kept = std::make_unique<std::optional<trace_region>>();
    task_group group;
    group.spawn([&] { kept->emplace("left open"); }, {.name = "leaves"});
    group.wait();
    const trace_region mine("mine");
    kept->reset();
    work_for(std::chrono::microseconds(2));
  });
  const recording take = cube.stop_recording();
  ASSERT_EQ(take.regions.size(), 2u);
  const recording::region& open = take.regions[0];
  EXPECT_EQ(take.names.at(open.name), "left open");
  EXPECT_EQ(name_of(take, take.tasks[open.within]), "leaves");
  EXPECT_EQ(open.ended, take.tasks[open.within].ended);
  const recording::region& mine = take.regions[1];
  EXPECT_EQ(take.names.at(mine.name), "mine");
  EXPECT_GE(mine.ended - mine.began, 2000u);
}

TEST(recording, refuses_what_makes_no_sense) {
  runtime cube(with(2));
  const test::deadline limit(cube);
  EXPECT_THROW(static_cast<void>(cube.stop_recording()), error);
  EXPECT_THROW(cube.start_recording({.memory = 100}), std::invalid_argument);
  cube.start_recording();
  EXPECT_THROW(cube.start_recording(), error);
  EXPECT_THROW(cube.run([&] { cube.start_recording(); }), error);
  static_cast<void>(cube.stop_recording());
  cube.start_recording();
  EXPECT_TRUE(cube.stop_recording().tasks.empty());
}

}  // namespace
}  // namespace evencube::recording_test
