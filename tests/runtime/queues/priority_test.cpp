// A worker that chooses between two tasks that it may run takes the task of higher priority. A wait
// runs the awaited tasks, whatever their priority.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::priority_test {
namespace {

constexpr priority all_priorities[] = {priority::high, priority::normal, priority::low};

/// The tasks that ran, in the order of their starts.
class journal {
 public:
  void note(std::string what) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(what));
  }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

using words = std::vector<std::string>;

// -- One worker: the order is known
// ----------------------------------------------------------------

TEST(priority_of_one_worker, orders_what_a_wait_runs) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  rt.run([&] {
    task_group group;
    const auto spawn = [&](const char* name, priority level) {
      group.spawn([&ran, name] { ran.note(name); }, {.priority = level});
    };
    spawn("low 1", priority::low);
    spawn("normal 1", priority::normal);
    spawn("high 1", priority::high);
    spawn("low 2", priority::low);
    spawn("normal 2", priority::normal);
    spawn("high 2", priority::high);
    group.wait();
  });
  EXPECT_EQ(ran.notes(), (words{"high 1", "high 2", "normal 2", "normal 1", "low 1", "low 2"}));
}

TEST(priority_of_one_worker, comes_before_what_was_queued_already_in_a_wait) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 3; ++i) {
      group.spawn([&, i] {
        ran.note("normal");
        if (i == 1) group.spawn([&] { ran.note("high"); }, {.priority = priority::high});
      });
    }
    group.wait();
  });
  EXPECT_EQ(ran.notes(), (words{"normal", "normal", "high", "normal"}));
}

// Tasks of every kind of place where a task can wait for the worker: its queue, its mailbox, the
// ring of tasks from outside.
TEST(priority_of_one_worker, orders_what_comes_from_outside) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  task_group group(rt);
  {
    hold_guard still(rt);
    const auto spawn = [&](const char* name, const spawn_options& how) {
      group.spawn([&ran, name] { ran.note(name); }, how);
    };
    spawn("low", {.priority = priority::low});
    spawn("injected", {});
    spawn("sent", {.home = 0U});
    spawn("high", {.priority = priority::high});
    spawn("high", {.cost = 5, .priority = priority::high});
    EXPECT_EQ(still.loads(), (std::vector<load_type>{1})) << "lanes are nobody's load";
    EXPECT_EQ(still.tasks()[0].size(), 1U);
    EXPECT_NE(rt.describe().find("of high priority 2, of low 1"), std::string::npos)
        << rt.describe();
  }
  group.wait();
  EXPECT_EQ(ran.notes(), (words{"high", "high", "sent", "injected", "low"}));
  EXPECT_NE(rt.describe().find("of high priority 0, of low 0"), std::string::npos);
}

TEST(priority_of_one_worker, is_looked_at_before_each_task) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  task_group group(rt);
  {
    hold_guard still(rt);
    for (int i = 0; i < 4; ++i) {
      group.spawn(
          [&, i] {
            ran.note("normal");
            if (i % 2 == 0) group.spawn([&] { ran.note("high"); }, {.priority = priority::high});
            if (i == 1) group.spawn([&] { ran.note("low"); }, {.priority = priority::low});
          },
          i < 2 ? spawn_options{} : spawn_options{.home = 0U});
    }
  }
  group.wait();
  // Mail is queued by its receiver, which begins with the oldest task, before injected tasks.
  EXPECT_EQ(ran.notes(), (words{"normal", "high", "normal", "normal", "high", "normal", "low"}));
}

TEST(priority_of_one_worker, is_kept_by_continuations) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  future<void> late;
  future<void> early;
  task_group group(rt);
  {
    hold_guard still(rt);
    auto first = rt.async([&] { ran.note("first"); });
    auto second = rt.async([&] { ran.note("second"); });
    late = first.then([&] { ran.note("low"); }, {.priority = priority::low});
    early = second.then([&] { ran.note("high"); }, {.priority = priority::high});
    group.spawn([&] { ran.note("normal"); });
  }
  late.wait();
  early.wait();
  group.wait();
  EXPECT_EQ(ran.notes(), (words{"first", "second", "high", "normal", "low"}));
}

// The continuation of a future that is ready already is spawned at once.
TEST(priority_of_one_worker, is_kept_by_continuations_of_what_is_ready) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  rt.run([&] {
    task_group group;
    group.spawn([&] { ran.note("normal"); });
    auto low = make_ready_future().then([&] { ran.note("low"); }, {.priority = priority::low});
    auto high = make_ready_future().then([&] { ran.note("high"); }, {.priority = priority::high});
    group.wait();  // neither continuation is below the group
    EXPECT_EQ(ran.notes(), (words{"normal"}));
    low.wait();  // needed now, although a task of high priority is queued
    EXPECT_EQ(ran.notes(), (words{"normal", "low"}));
    high.wait();
  });
  EXPECT_EQ(ran.notes(), (words{"normal", "low", "high"}));
}

// Tasks that are not awaited do not run within a wait: they might need a lock that the waiter
// holds.
TEST(priority_of_one_worker, does_not_bring_strangers_into_a_wait) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  journal ran;
  rt.run([&] {
    task_group strangers;
    strangers.spawn([&] { ran.note("stranger"); }, {.priority = priority::high});
    for (int i = 0; i < 100; ++i) strangers.spawn([&] { ran.note("stranger"); });
    {
      task_group group;
      group.spawn([&] { ran.note("low"); }, {.priority = priority::low});
      strangers.spawn([&] { ran.note("stranger"); }, {.priority = priority::high});
      group.spawn([&] { ran.note("high"); }, {.priority = priority::high});
      group.wait();
      EXPECT_EQ(ran.notes(), (words{"high", "low"}));
    }
    auto value = rt.async([&] { return 7; }, {.priority = priority::low});
    EXPECT_EQ(value.get(), 7);
    EXPECT_EQ(ran.notes().size(), 2U);
    strangers.wait();
  });
  EXPECT_EQ(ran.notes().size(), 104U);
}

TEST(priority_of_one_worker, is_queued_however_much_is) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  int normal = 0;
  int others = 0;
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 70'000; ++i) group.spawn([&] { ++normal; });
    EXPECT_GT(normal, 0);  // beyond the queue's limit, tasks run at once
    group.spawn([&] { ++others; }, {.priority = priority::high});
    group.spawn([&] { ++others; }, {.priority = priority::low});
    auto value = rt.async([&] { return ++others; }, {.priority = priority::low});
    EXPECT_EQ(others, 0);
    group.wait();
    EXPECT_EQ(others, 2);
    EXPECT_EQ(value.get(), 3);
  });
  EXPECT_EQ(normal, 70'000);
}

/// Counts its objects.
struct counted {
  static inline int alive = 0;
  counted() { ++alive; }
  counted(const counted&) { ++alive; }
  counted(counted&&) noexcept { ++alive; }
  ~counted() { --alive; }
};

// A worker that waits for a future of low priority begins it in its list. The rest of the list goes
// some time, even if the worker is never without work.
TEST(priority_of_one_worker, keeps_little_of_futures_that_their_waiters_ran) {
  {
    runtime rt({.workers = 1});
    const test::deadline deadline(rt);
    rt.run([&] {
      for (int i = 0; i < 20'000; ++i) {
        static_cast<void>(rt.async([] { return counted(); }, {.priority = priority::low}).get());
        ASSERT_LE(counted::alive, 600);
      }
    });
  }
  EXPECT_EQ(counted::alive, 0);
}

// -- Any number of workers
// -------------------------------------------------------------------------

class priorities : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_, std::chrono::seconds{60}};
};

// Every worker is busy and 1000 tasks wait in all queues when one task of high priority comes for
// each worker. A task that has begun keeps its worker until all of these have begun. So nothing
// would go on if any worker passed them over, whatever it took instead.
TEST_P(priorities, let_high_ones_begin_after_at_most_as_many_others_as_there_are_workers) {
  const unsigned workers = GetParam();
  std::atomic<unsigned> busy{0};
  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};
  std::atomic<unsigned> high{0};
  std::atomic<unsigned> before{0};
  task_group group(rt_);
  const auto until_all_are_here = [&] {
    while (high < workers) std::this_thread::yield();
  };
  const auto normal = [&] {
    if (high == workers) return;
    ++before;
    until_all_are_here();
  };
  for (unsigned k = 0; k < workers; ++k) {
    group.spawn([&, workers] {
      // A worker without work would take a normal task, and keep to it.
      ++busy;
      while (busy < workers) std::this_thread::yield();
      for (unsigned i = 0; i < 500 / workers; ++i) group.spawn(normal);
      ++ready;
      while (!go) std::this_thread::yield();
    });
  }
  while (ready < workers) std::this_thread::yield();
  for (unsigned i = 0; i < 500; ++i) {
    group.spawn(normal, i % 2 == 0 ? spawn_options{} : spawn_options{.home = i % workers});
  }
  for (unsigned k = 0; k < workers; ++k) {
    group.spawn(
        [&] {
          ++high;
          until_all_are_here();
        },
        {.priority = priority::high});
  }
  go = true;
  group.wait();
  EXPECT_EQ(before, 0U);
}

// One worker makes tasks and stays busy. The other one, busy until all are made, takes the other
// tasks before the task of low priority.
TEST(priority_of_two_workers, is_low_where_anything_else_can_be_taken) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  std::atomic<int> normal{0};
  rt.run([&] {
    std::atomic<bool> busy{false};
    std::atomic<bool> go{false};
    std::atomic<bool> low{false};
    task_group group;
    group.spawn(
        [&] {
          busy = true;
          while (!go) std::this_thread::yield();
        },
        {.home = 1U});
    while (!busy) std::this_thread::yield();
    group.spawn(
        [&] {
          EXPECT_EQ(normal, 20);
          low = true;
        },
        {.priority = priority::low});
    for (int i = 0; i < 20; ++i) group.spawn([&] { ++normal; });
    go = true;
    while (!low) std::this_thread::yield();
    group.wait();
  });
  EXPECT_EQ(normal, 20);
}

// The workers sleep, and a task comes for each of them, which goes on after all have begun.
TEST_P(priorities, call_as_many_workers_as_there_is_work_for) {
  const unsigned workers = GetParam();
  for (int n = test::repetitions(20); n > 0; --n) {
    for (const priority level : all_priorities) {
      std::atomic<unsigned> here{0};
      task_group group(rt_);
      for (unsigned k = 0; k < workers; ++k) {
        group.spawn(
            [&] {
              ++here;
              while (here < workers) std::this_thread::yield();
            },
            {.priority = level});
      }
      group.wait();
    }
    deadline_.renew();
  }
}

// Tasks are spawned by tasks, from outside, into groups and as futures: each runs once, and is
// waited for.
TEST_P(priorities, lose_nothing) {
  for (int n = test::repetitions(5); n > 0; --n) {
    std::atomic<int> ran{0};
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t + 10 * static_cast<unsigned>(n));
        const auto level = [&] { return all_priorities[random() % 3]; };
        task_group group(rt_);
        std::vector<future<int>> futures;
        for (int i = 0; i < 60; ++i) {
          const priority below[] = {level(), level(), level()};
          group.spawn(
              [&, below] {
                task_group inner;
                for (const priority p : below) inner.spawn([&] { ++ran; }, {.priority = p});
                auto value = rt_.async([&] { return ++ran; }, {.priority = below[0]})
                                 .then([&](int) { return ++ran; }, {.priority = below[1]});
                if (below[2] == priority::low) inner.wait();
                value.wait();
                inner.wait();
              },
              {.priority = level()});
          futures.push_back(rt_.async([&] { return ++ran; }, {.priority = level()}));
        }
        for (auto& f : futures) EXPECT_GT(f.get(), 0);
        group.wait();
      });
    }
    threads.clear();
    ASSERT_EQ(ran, 3 * 60 * 6);
    deadline_.renew();
  }
}

// The destructor of a runtime runs the remaining tasks, whatever their priority.
TEST_P(priorities, are_nothing_to_the_end_of_a_runtime) {
  std::atomic<int> ran{0};
  std::vector<future<void>> kept;
  {
    runtime rt({.workers = GetParam()});
    for (int i = 0; i < 30; ++i) {
      kept.push_back(rt.async([&] { ++ran; }, {.priority = all_priorities[i % 3]}));
    }
  }
  EXPECT_EQ(ran, 30);
  for (const auto& f : kept) EXPECT_TRUE(f.ready());
}

// A group that was stopped drops its tasks in the priority lists, as it drops queued tasks.
TEST_P(priorities, are_dropped_with_their_group) {
  const auto held = std::make_shared<int>(0);
  std::atomic<int> ran{0};
  task_group group(rt_);
  {
    hold_guard still(rt_);
    for (int i = 0; i < 300; ++i) {
      group.spawn([&ran, held] { ++ran; }, {.priority = all_priorities[i % 3]});
    }
    group.request_stop();
  }
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(held.use_count(), 1);
  rt_.run([&] {
    task_group inner;
    inner.request_stop();
    for (const priority p : all_priorities) inner.spawn([&ran, held] { ++ran; }, {.priority = p});
    EXPECT_EQ(inner.wait(), wait_status::stopped);
  });
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(priorities, must_be_known_and_have_no_home) {
  task_group group(rt_);
  int ran = 0;
  const auto refused = [&](const spawn_options& how, const std::string& word) {
    const auto expect_told = [&](auto&& spawn) {
      try {
        spawn();
        ADD_FAILURE() << "was accepted";
      } catch (const std::invalid_argument& e) {
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
      }
    };
    expect_told([&] { group.spawn([&] { ++ran; }, how); });
    expect_told([&] { static_cast<void>(rt_.async([&] { ++ran; }, how)); });
    auto ready = make_ready_future(rt_);
    expect_told([&] { static_cast<void>(ready.then([&] { ++ran; }, how)); });
    EXPECT_TRUE(ready.valid());
  };
  refused({.home = 0U, .priority = priority::high}, "home: 0");
  refused({.home = 0U, .priority = priority::low}, "home: 0");
  refused({.priority = static_cast<priority>(7)}, "priority: 7");
  group.wait();
  EXPECT_EQ(ran, 0);
}

// -- Waits that need tasks in a priority list
// -----------------------------------------------------------

TEST_P(priorities, are_reached_by_waits_at_every_depth) {
  const auto grow = [&](auto& self, int depth) -> int {
    if (depth == 0) return 1;
    int sum = 0;
    std::mutex adding;
    task_group group;
    for (const priority p : all_priorities) {
      group.spawn(
          [&] {
            const int below = self(self, depth - 1);
            const std::lock_guard lock(adding);
            sum += below;
          },
          {.priority = p});
    }
    group.wait();
    return sum;
  };
  EXPECT_EQ(rt_.run([&] { return grow(grow, 5); }), 243);
  auto outside = rt_.async([&] { return grow(grow, 4); }, {.priority = priority::low});
  EXPECT_EQ(outside.get(), 81);
  const auto [left, right] = rt_.run(
      [&] { return fork_join([&] { return grow(grow, 3); }, [&] { return grow(grow, 3); }); });
  EXPECT_EQ(left + right, 54);
}

// All workers wait, for one another and for the tasks that come from outside last.
TEST_P(priorities, are_reached_by_sleepers) {
  for (const priority level : {priority::high, priority::low}) {
    for (int n = test::repetitions(50); n > 0; --n) {
      task_group needed(rt_);
      std::atomic<int> ran{0};
      std::atomic<unsigned> waiting{0};
      needed.spawn([&] {  // there must be something to wait for
        while (waiting < GetParam()) {
          if (GetParam() == 1) break;
          std::this_thread::yield();
        }
        needed.spawn([&] { ++ran; }, {.priority = level});
        if (n % 2 == 0) std::this_thread::yield();
        needed.spawn([&] { ++ran; }, {.priority = level});
      });
      task_group waiters(rt_);
      for (unsigned k = 1; k < GetParam(); ++k) {
        waiters.spawn([&] {
          ++waiting;
          needed.wait();
          EXPECT_EQ(ran, 2);
        });
      }
      ++waiting;
      needed.wait();
      EXPECT_EQ(ran, 2);
      waiters.wait();
      deadline_.renew();
    }
  }
}

// All workers sleep: one waits for another runtime, and the others for that worker. The task that
// wakes it comes from outside, for one of the others to run.
TEST_P(priorities, are_reached_by_sleepers_when_they_come_from_outside) {
  if (GetParam() == 1) GTEST_SKIP() << "the only worker is the one that waits for something else";
  runtime other({.workers = 1});
  for (const priority level : {priority::high, priority::low}) {
    for (int n = test::repetitions(50); n > 0; --n) {
      std::atomic<bool> came{false};
      task_group gate(other);
      gate.spawn([&] {
        while (!came) std::this_thread::yield();
      });
      std::atomic<unsigned> waiting{0};
      task_group needed(rt_);
      needed.spawn([&] {
        ++waiting;
        gate.wait();
      });
      task_group waiters(rt_);
      for (unsigned k = 1; k < GetParam(); ++k) {
        waiters.spawn([&] {
          ++waiting;
          needed.wait();
        });
      }
      while (waiting < GetParam()) std::this_thread::yield();
      for (int i = 0; i < n % 7; ++i) std::this_thread::yield();
      needed.spawn([&] { came = true; }, {.priority = level});
      needed.wait();
      waiters.wait();
      gate.wait();
      deadline_.renew();
    }
  }
}

// A running task brings the task that a sleeper waits for, and goes on only after that task has
// run.
TEST_P(priorities, are_run_by_who_waits_for_them_while_their_maker_works) {
  if (GetParam() == 1) GTEST_SKIP() << "the only worker is the one that works";
  for (const priority level : {priority::high, priority::low}) {
    for (int n = test::repetitions(50); n > 0; --n) {
      rt_.run([&] {
        task_group group;
        std::atomic<bool> ran{false};
        group.spawn([&] {
          for (int i = 0; i < n % 5; ++i) std::this_thread::yield();
          group.spawn([&] { ran = true; }, {.priority = level});
          while (!ran) std::this_thread::yield();
        });
        group.wait();
      });
      deadline_.renew();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(workers, priorities, testing::ValuesIn(test::worker_counts),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

// -- Rounds
// ----------------------------------------------------------------------------------------

using strategy = std::tuple<unsigned, std::string>;

class priorities_under : public testing::TestWithParam<strategy> {};

// Rounds while all workers are held, and while tasks run. No worker begins a task of high priority
// after another one, no task is lost, and the queues hold the tasks that they would hold without
// them.
TEST_P(priorities_under, are_no_matter_of_rounds) {
  const auto& [workers, balancer] = GetParam();
  runtime rt({.workers = workers, .balancer = balancer, .threshold = 4});
  const test::deadline deadline(rt, std::chrono::seconds{60});
  std::mt19937 random(workers);
  for (int n = 0; n < 5; ++n) {
    std::vector<std::vector<priority>> began(workers);
    std::atomic<int> ran{0};
    int spawned = 0;
    task_group group(rt);
    {
      hold_guard still(rt);
      std::vector<load_type> loads(workers);
      for (int i = 0; i < 200; ++i, ++spawned) {
        const priority level = all_priorities[random() % 3];
        spawn_options how{.priority = level};
        if (level == priority::normal) {
          how.home = static_cast<unsigned>(random() % (1 + workers / 2));
          ++loads[*how.home];
        }
        group.spawn(
            [&, level] {
              began[this_worker()].push_back(level);
              ++ran;
            },
            how);
      }
      EXPECT_EQ(still.loads(), loads);
      static_cast<void>(still.balance());
      const auto after = still.loads();
      EXPECT_EQ(std::accumulate(after.begin(), after.end(), load_type{0}),
                std::accumulate(loads.begin(), loads.end(), load_type{0}));
      EXPECT_EQ(ran, 0);
    }
    rt.balance();
    group.wait();
    EXPECT_EQ(ran, spawned);
    for (const auto& of_worker : began) {
      const auto first_other =
          std::ranges::find_if(of_worker, [](priority p) { return p != priority::high; });
      EXPECT_EQ(std::find(first_other, of_worker.end(), priority::high), of_worker.end());
    }
  }
}

std::vector<strategy> every_balancer() {
  std::vector<strategy> all;
  for (const unsigned workers : {3U, 8U}) {
    const topology cube = topology::cube(workers);
    for (const balancer_descriptor& about : registered_balancers()) {
      if (about.guarantees.supports && !about.guarantees.supports(cube)) continue;
      all.emplace_back(workers, about.name);
    }
    all.emplace_back(workers, "random_stealing");
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(rounds, priorities_under, testing::ValuesIn(every_balancer()),
                         [](const auto& c) {
                           return std::get<1>(c.param) + "_" + std::to_string(std::get<0>(c.param));
                         });

}  // namespace
}  // namespace evencube::priority_test
