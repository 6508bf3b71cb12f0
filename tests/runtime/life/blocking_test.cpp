// A task that blocks lends its place to a spare worker: what it blocks for is run, nothing that the
// spare one held is lost, and it makes room again when the task goes on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <functional>
#include <latch>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "pipe.hpp"
#include "repetitions.hpp"
#include "threads_of_process.hpp"

namespace evencube::blocking_test {
namespace {

using namespace std::chrono_literals;

/// Something that threads block on which the runtime knows nothing of.
class event {
 public:
  void set() {
    // Under the lock: who waits may destroy it as soon as it sees it.
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }
  [[nodiscard]] bool is_set() {
    const std::lock_guard lock(mutex_);
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

class blocking_tasks : public testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] runtime_options options(unsigned spares) const {
    return {.workers = GetParam(), .spare_workers = spares};
  }
  /// One spare worker for each, so that all of them can block at once.
  runtime rt_{options(GetParam())};
  test::deadline deadline_{rt_, 60s};
};

INSTANTIATE_TEST_SUITE_P(workers, blocking_tasks, testing::Values(1, 2, 3, 5, 8, 64));

// -- What a task blocks for is run --------------------------------------------------------------

TEST_P(blocking_tasks, what_lies_in_the_own_queue_is_run) {
  rt_.run([] {
    event ran;
    task_group group;
    group.spawn([&] { ran.set(); });
    blocking([&] { ran.await(); });
    group.wait();
  });
}

// Tasks come from outside faster than they end, until the task in the queue has begun.
TEST_P(blocking_tasks, what_lies_in_the_own_queue_is_run_next_to_a_stream) {
  for (const bool pulls : {true, false}) {
    runtime rt({.workers = GetParam(), .spare_workers = GetParam(), .pulls = pulls});
    const test::deadline limit(rt);
    std::atomic<unsigned> came{0};
    std::atomic<bool> ran{false};
    std::jthread stream([&] {
      task_group group(rt);
      while (!ran) {
        group.spawn([&] { ++came; });
        group.spawn([] { std::this_thread::sleep_for(500us); });
      }
      group.wait();
    });
    task_group outer(rt);
    outer.spawn([&] {
      blocking([&] {
        while (came < 100 * GetParam()) std::this_thread::yield();
      });
      event run;
      task_group group;
      group.spawn([&] {
        ran = true;
        run.set();
      });
      blocking([&] { run.await(); });
      group.wait();
    });
    outer.wait();
  }
}

TEST_P(blocking_tasks, what_comes_from_outside_is_run) {
  rt_.run([this] {
    event blocks;
    event ran;
    std::jthread outside([&] {
      blocks.await();
      task_group group(rt_);
      for (unsigned k = 0; k < GetParam(); ++k) group.spawn([] {}, {.home = k});
      group.spawn([] {}, {.priority = priority::low});
      group.wait();  // whoever they are for
      group.spawn([&] { ran.set(); });
      group.wait();
    });
    blocking([&] {
      blocks.set();
      ran.await();
    });
  });
}

TEST_P(blocking_tasks, all_workers_may_block_for_one_task) {
  event ran;
  std::latch blocked(GetParam());
  task_group group(rt_);
  for (unsigned k = 0; k < GetParam(); ++k) {
    group.spawn([&] {
      blocking([&] {
        blocked.count_down();
        ran.await();
      });
    });
  }
  blocked.wait();
  group.spawn([&] { ran.set(); });
  group.wait();
  std::uint64_t executed = 0;
  for (const worker_statistics& w : rt_.stats().spare_workers) executed += w.executed;
  EXPECT_GE(executed, 1U);
}

// What has been lent once is lent again, by one who holds the place of another.
TEST_P(blocking_tasks, tasks_of_spare_workers_may_block) {
  constexpr unsigned deep = 8;
  runtime rt(options(deep));
  const test::deadline limit(rt);
  std::vector<event> events(deep + 1);
  std::atomic<unsigned> ended{0};
  rt.run([&] {
    task_group group;
    const std::function<void(unsigned)> block = [&](unsigned i) {
      if (i != deep) {
        group.spawn([&, i] { block(i + 1); }, {.priority = priority::low});
        blocking([&] { events[i + 1].await(); });
      }
      events[i].set();
      ++ended;
    };
    block(0);
    group.wait();
  });
  EXPECT_EQ(ended, deep + 1);
}

// The only spare worker is still in a scope of its own when its place's owner blocks again.
TEST(blocking_tasks_of_one_worker, have_the_spare_one_as_soon_as_it_is_free) {
  for (int repetition = 0; repetition < 100; ++repetition) {
    runtime rt(runtime_options{.workers = 1, .spare_workers = 1});
    const test::deadline limit(rt);
    event spare_blocks;
    event owner_blocks;
    event ran;
    task_group group(rt);
    group.spawn([&] { blocking([&] { spare_blocks.await(); }); });
    group.spawn([&] {
      blocking([&] {
        spare_blocks.set();
        owner_blocks.await();
      });
    });
    group.spawn([&] {
      blocking([&] {
        owner_blocks.set();
        ran.await();
      });
    });
    group.spawn([&] { ran.set(); });
    group.wait();
  }
}

TEST_P(blocking_tasks, the_rest_of_a_loop_is_run) {
  runtime rt(options(1));
  const test::deadline limit(rt);
  rt.run([] {
    std::atomic<int> ran{0};
    event last;
    parallel_for(0, 64,
                 [&](int i) {
                   if (++ran == 64) last.set();
                   if (i == 0) blocking([&] { last.await(); });
                 },
                 {.grain = 1});
    EXPECT_EQ(ran, 64);
  });
}

// Somebody waits for the worker to stand still when it goes into its scope instead.
TEST_P(blocking_tasks, the_rest_of_a_loop_is_run_after_a_hold) {
  std::atomic<bool> begun{false};
  std::jthread holder([&] {
    while (!begun) std::this_thread::yield();
    const hold_guard still = rt_.hold();
  });
  rt_.run([&] {
    std::atomic<int> ran{0};
    event last;
    parallel_for(0, 64,
                 [&](int i) {
                   if (++ran == 64) last.set();
                   if (i != 0) return;
                   begun = true;
                   while (rt_.describe().find("held yes") == std::string::npos) {
                     std::this_thread::yield();
                   }
                   blocking([&] { last.await(); });
                 },
                 {.grain = 1});
    EXPECT_EQ(ran, 64);
  });
}

TEST_P(blocking_tasks, a_pipe_is_read_before_it_is_written) {
  int ends[2];
  ASSERT_EQ(test::make_pipe(ends), 0);
  char got = 0;
  rt_.run([&] {
    auto writer = rt_.async([&] { return write(ends[1], "x", 1); });
    EXPECT_EQ(blocking([&] { return read(ends[0], &got, 1); }), 1);
    EXPECT_EQ(writer.get(), 1);
  });
  EXPECT_EQ(got, 'x');
  close(ends[0]);
  close(ends[1]);
}

// The spare worker comes upon a task that waits for another, which lies where nobody is.
TEST_P(blocking_tasks, spare_workers_wait_as_others_do) {
  for (int i = test::repetitions(100); i-- > 0; deadline_.renew()) {
    rt_.run([this] {
      event ran;
      task_group group;
      auto behind = rt_.async([] { return 1; });
      group.spawn([&] {
        task_group inner;
        for (unsigned k = 0; k < GetParam(); ++k) inner.spawn([] {}, {.home = k});
        inner.wait();
        EXPECT_EQ(behind.get(), 1);
        ran.set();
      });
      blocking([&] { ran.await(); });
      group.wait();
    });
  }
}

// -- Its end -------------------------------------------------------------------------------------

// The spare worker ends its task and begins no other: the only place is taken.
TEST(blocking, a_spare_worker_begins_nothing_more_afterwards) {
  runtime rt({.workers = 1, .spare_workers = 1});
  const test::deadline limit(rt);
  task_group later(rt);
  std::atomic<int> ran_later{0};
  rt.run([&] {
    event in_other;
    event let_go;
    event other_ended;
    task_group group;
    group.spawn([&] {
      in_other.set();
      let_go.await();
      other_ended.set();
    });
    blocking([&] { in_other.await(); });
    for (int i = 0; i < 100; ++i) {
      group.spawn([&] { ++ran_later; });
      std::jthread([&] { later.spawn([&] { ++ran_later; }); });
    }
    let_go.set();
    other_ended.await();
    test::until_others_sleep();
    EXPECT_EQ(ran_later, 0);
    group.wait();
  });
  later.wait();
  EXPECT_EQ(ran_later, 200);
}

TEST_P(blocking_tasks, nothing_is_lost_that_a_spare_worker_held) {
  runtime rt(options(1));
  const test::deadline limit(rt);
  for (int i = test::repetitions(100); i-- > 0;) {
    std::atomic<int> ran{0};
    task_group group(rt);
    rt.run([&] {
      event spawned;
      const auto spawning = rt.async([&] {
        for (int j = 0; j < 100; ++j) group.spawn([&] { ++ran; });
        spawned.set();
      });
      blocking([&] { spawned.await(); });
    });
    group.wait();
    EXPECT_EQ(ran, 100);
  }
}

TEST_P(blocking_tasks, scopes_in_close_succession) {
  runtime rt(options(1));
  const test::deadline limit(rt);
  std::atomic<int> ran{0};
  rt.run([&] {
    task_group group;
    for (int i = test::repetitions(2000); i-- > 0;) {
      group.spawn([&] { ++ran; });
      blocking([] {});
    }
    group.wait();
  });
  EXPECT_EQ(ran, test::repetitions(2000));
}

// -- What it is ----------------------------------------------------------------------------------

TEST(blocking, values_references_and_exceptions_pass) {
  runtime rt({.workers = 2, .spare_workers = 1});
  const test::deadline limit(rt);
  int kept = 1;
  rt.run([&] {
    EXPECT_EQ(blocking([] { return 7; }), 7);
    EXPECT_EQ(&blocking([&]() -> int& { return kept; }), &kept);
    EXPECT_THROW(blocking([] { throw std::runtime_error("on"); }), std::runtime_error);
    EXPECT_EQ(this_worker(), 0U);
  });
  EXPECT_EQ(blocking([] { return 8; }), 8);  // outside of tasks
}

TEST_P(blocking_tasks, inside_the_thread_is_no_worker) {
  rt_.run([this] {
    task_group group;
    std::atomic<int> ran{0};
    const unsigned was = this_worker();
    blocking([&] {
      EXPECT_EQ(this_task::runtime(), nullptr);
      EXPECT_EQ(this_task::worker(), std::nullopt);
      EXPECT_THROW(static_cast<void>(this_worker()), error);
      EXPECT_THROW(fork_join([] {}, [] {}), error);
      EXPECT_THROW(group.wait(), error);
      EXPECT_THROW(static_cast<void>(rt_.hold()), error);
      EXPECT_THROW(rt_.stop(), error);
      for (int i = 0; i < 10; ++i) group.spawn([&] { ++ran; });
      EXPECT_EQ(rt_.async([] { return 3; }).get(), 3);  // its place is lent
      EXPECT_EQ(blocking([] { return 4; }), 4);
      EXPECT_EQ(this_task::runtime(), nullptr);
    });
    EXPECT_EQ(this_worker(), was);
    EXPECT_EQ(this_task::runtime(), &rt_);
    group.wait();
    EXPECT_EQ(ran, 10);
  });
}

TEST_P(blocking_tasks, a_stop_is_seen_inside) {
  task_group group(rt_);
  event blocks;
  group.spawn([&] {
    blocking([&] {
      EXPECT_FALSE(this_task::stop_requested());
      blocks.set();
      while (!this_task::stop_requested()) std::this_thread::sleep_for(100us);
    });
  });
  blocks.await();
  group.request_stop();
  EXPECT_EQ(group.wait(), wait_status::stopped);
}

TEST_P(blocking_tasks, without_a_spare_worker_it_just_blocks) {
  runtime rt(options(0));
  const test::deadline limit(rt);
  EXPECT_EQ(rt.spare_workers(), 0U);
  event let_go;
  event blocks;
  std::jthread outside([&] {
    blocks.await();
    let_go.set();
  });
  rt.run([&] {
    std::latch ran(100);
    task_group group;
    for (int i = 0; i < 100; ++i) group.spawn([&] { ran.count_down(); });
    blocking([&] {
      // With other workers they are in their reach.
      if (GetParam() > 1) ran.wait();
      blocks.set();
      let_go.await();
    });
    group.wait();
  });
}

TEST(blocking, too_many_spare_workers_are_refused) {
  try {
    const runtime rt({.workers = 1, .spare_workers = 257});
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& refused) {
    EXPECT_EQ(std::string(refused.what()), "spare_workers: 257 is not allowed; at most 256");
  }
}

// -- Beside the rest of the engine ---------------------------------------------------------------

TEST_P(blocking_tasks, a_holder_does_not_wait_for_the_end) {
  event blocks;
  event let_go;
  std::atomic<bool> went_on{false};
  task_group group(rt_);
  group.spawn([&] {
    blocking([&] {
      blocks.set();
      let_go.await();
    });
    went_on = true;
  });
  blocks.await();
  {
    const hold_guard held = rt_.hold();
    for (int i = 0; i < 10; ++i) group.spawn([] {}, {.home = 0});
    const std::vector<load_type> loads = held.loads();
    EXPECT_EQ(loads.size(), GetParam());
    EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), load_type{0}), 10);
    let_go.set();
    test::until_others_sleep();
    EXPECT_FALSE(went_on);  // it stands still when its scope ends
  }
  group.wait();
  EXPECT_TRUE(went_on);
}

TEST_P(blocking_tasks, a_stopped_runtime_waits_for_the_end) {
  runtime rt(options(1));
  const test::deadline limit(rt);
  event blocks;
  task_group group(rt);
  std::atomic<bool> ended{false};
  group.spawn([&] {
    blocking([&] {
      blocks.set();
      while (!this_task::stop_requested()) std::this_thread::sleep_for(100us);
    });
    ended = true;
  });
  blocks.await();
  rt.stop();
  EXPECT_TRUE(ended);
}

TEST_P(blocking_tasks, counted_and_recorded_with_numbers_of_their_own) {
  rt_.start_recording();
  std::atomic<bool> seen_behind{false};
  const auto look = [&] {
    if (this_worker() >= GetParam()) seen_behind = true;
  };
  {
    event ran;
    std::latch blocked(GetParam());
    task_group group(rt_);
    // Either one of these is run by a spare worker, or all the others block, and it is the rest.
    for (unsigned k = 0; k < GetParam(); ++k) {
      group.spawn([&] {
        look();
        blocking([&] {
          blocked.count_down();
          ran.await();
        });
      });
    }
    blocked.wait();
    for (int i = 0; i < 100; ++i) group.spawn(look);
    group.spawn([&] { ran.set(); }, {.priority = priority::low});
    group.wait();
  }
  const recording take = rt_.stop_recording();
  EXPECT_EQ(take.tasks.size(), GetParam() + 101);
  unsigned most_recorded = 0;
  for (const recording::task& t : take.tasks) most_recorded = std::max(most_recorded, t.worker);
  EXPECT_GE(most_recorded, GetParam());
  EXPECT_LT(most_recorded, GetParam() + rt_.spare_workers());
  EXPECT_TRUE(seen_behind);
  const statistics seen = rt_.stats();
  EXPECT_EQ(seen.workers.size(), GetParam());
  EXPECT_EQ(seen.spare_workers.size(), rt_.spare_workers());
  std::uint64_t executed = 0;
  for (const auto* const kind : {&seen.workers, &seen.spare_workers}) {
    for (const worker_statistics& w : *kind) executed += w.executed;
  }
  EXPECT_EQ(executed, GetParam() + 101);
}

// Whatever comes together, at random: every task runs once, and every wait ends.
struct strategy_case {
  const char* balancer;
  bool pulls = true;
};

void block_at_random(runtime& rt, unsigned seed, std::atomic<int>& ran, int depth) {
  std::minstd_rand engine(seed + 1);
  const auto random = [&engine] { return static_cast<unsigned>(engine() >> 8U); };
  const auto maybe_block = [&random] {
    switch (random() % 4) {
      case 0:
        blocking([] { std::this_thread::yield(); });
        break;
      case 1:
        blocking([] { std::this_thread::sleep_for(50us); });
        break;
      default:
        break;
    }
  };
  ++ran;
  maybe_block();
  if (depth == 0) return;
  switch (random() % 4) {
    case 0:
      fork_join([&, s = random()] { block_at_random(rt, s, ran, depth - 1); },
                [&, s = random()] { block_at_random(rt, s, ran, depth - 1); });
      break;
    case 1:
      parallel_for(0U, 2U,
                   [&, s = random()](unsigned i) { block_at_random(rt, s + i, ran, depth - 1); },
                   {.grain = 1});
      break;
    case 2: {
      auto first = rt.async([&, s = random()] { block_at_random(rt, s, ran, depth - 1); });
      blocking([] {});
      block_at_random(rt, random(), ran, depth - 1);
      first.get();
      break;
    }
    default: {
      task_group group;
      const std::optional<unsigned> home =
          random() % 2 == 0 ? std::optional(random() % rt.workers()) : std::nullopt;
      group.spawn([&, s = random()] { block_at_random(rt, s, ran, depth - 1); }, {.home = home});
      maybe_block();
      group.spawn([&, s = random()] { block_at_random(rt, s, ran, depth - 1); });
      group.wait();
      break;
    }
  }
  maybe_block();
}

TEST_P(blocking_tasks, beside_holds_under_every_kind_of_strategy) {
  for (const strategy_case by : {strategy_case{"oem"},
                                 {"none"},
                                 {"locality"},
                                 {"random_stealing"},
                                 {"oem", false},
                                 {"sender_initiated", false}}) {
    for (const unsigned spares : {0U, 1U, 3U}) {
      deadline_.renew();
      runtime rt({.workers = GetParam(),
                  .spare_workers = spares,
                  .balancer = by.balancer,
                  .pulls = by.pulls,
                  .threshold = 2});
      const test::deadline limit(rt, 120s);
      std::atomic<bool> over{false};
      std::jthread holder([&] {
        for (int i = 0; i < 20 && !over; ++i) {
          {
            const hold_guard held = rt.hold();
          }
          std::this_thread::sleep_for(500us);
        }
      });
      constexpr int depth = 3;
      constexpr int once = (1 << (depth + 1)) - 1;
      const int roots = std::max(2, test::repetitions(8));
      std::atomic<int> ran{0};
      task_group group(rt);
      for (int i = 0; i < roots; ++i) {
        group.spawn([&, i] { block_at_random(rt, static_cast<unsigned>(i), ran, depth); });
      }
      group.wait();
      over = true;
      EXPECT_EQ(ran, roots * once) << by.balancer << ", " << spares << " spare workers";
    }
  }
}

// -- More spawns from scopes than the injector holds --------------------------------------------

class blocking_without_spares : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr int many = 300;
  runtime rt_{{.workers = GetParam(), .injection_capacity = 16}};
  test::deadline deadline_{rt_, 60s};
};

TEST_P(blocking_without_spares, a_scope_spawns_more_than_the_injector_holds) {
  task_group group(rt_);
  std::atomic<int> ran{0};
  for (unsigned k = 0; k < GetParam(); ++k) {
    group.spawn([&] {
      const blocking_scope here;
      for (int i = 0; i < many; ++i) group.spawn([&] { ++ran; });
    });
  }
  group.wait();
  EXPECT_EQ(ran, static_cast<int>(GetParam()) * many);
}

TEST_P(blocking_without_spares, a_scope_spawns_while_other_workers_wait_for_it) {
  std::vector<future<int>> results(many);
  event spawned;
  std::vector<future<void>> waiters;
  for (unsigned k = 1; k < GetParam(); ++k) waiters.push_back(rt_.async([&] { spawned.await(); }));
  rt_.async([&] {
       const blocking_scope here;
       for (future<int>& f : results) f = rt_.async([] { return 1; });
       spawned.set();
     })
      .get();
  int sum = 0;
  for (future<int>& f : results) sum += f.get();
  for (future<void>& f : waiters) f.get();
  EXPECT_EQ(sum, many);
}

// The thread is no worker's, so it cannot know what the workers block for; it may sleep for room
// before the last of them goes into its scope.
TEST_P(blocking_without_spares, all_workers_block_for_a_thread_outside_that_spawns) {
  for (int i = test::repetitions(20); i-- > 0;) {
    task_group group(rt_);
    std::atomic<int> ran{0};
    event spawned;
    std::atomic<unsigned> begun{0};
    for (unsigned k = 0; k < GetParam(); ++k) {
      group.spawn([&] {
        if (++begun == GetParam()) begun.notify_all();
        blocking([&] { spawned.await(); });
      });
    }
    std::thread outside([&] {
      for (unsigned seen = begun; seen < GetParam(); seen = begun) begun.wait(seen);
      for (int n = 0; n < many; ++n) group.spawn([&] { ++ran; });
      spawned.set();
    });
    outside.join();
    group.wait();
    EXPECT_EQ(ran, many);
    deadline_.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, blocking_without_spares, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace evencube::blocking_test
