// Arenas: at most a given number of workers run the tasks of a piece of work at the same moment.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::arena_test {
namespace {

/// Counts how many tasks are inside at once, and keeps the maximum.
class gauge {
 public:
  struct inside {
    gauge& of;
    explicit inside(gauge& g) : of(g) {
      const int now = of.now_.fetch_add(1) + 1;
      int most = of.most_.load();
      while (now > most && !of.most_.compare_exchange_weak(most, now)) {
      }
      // Now and then other threads get a chance to be too many: on a busy machine that takes long.
      if (of.calls_.fetch_add(1) % 32 == 0) std::this_thread::yield();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside() { of.now_.fetch_sub(1); }
  };
  void visit() { const inside here(*this); }
  [[nodiscard]] int most() const { return most_.load(); }
  [[nodiscard]] int calls() const { return calls_.load(); }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
  std::atomic<int> calls_{0};
};

class arenas : public testing::TestWithParam<unsigned> {
 protected:
  arenas() : rt_({.workers = GetParam(), .pin_to = pinning::none}) {}
  /// The numbers of places that are tried.
  [[nodiscard]] std::vector<unsigned> places() const {
    std::vector<unsigned> all{1, 2, 3};
    if (GetParam() > 3) all.push_back(GetParam() - 1);
    all.push_back(GetParam() + 1);
    return all;
  }

  runtime rt_;
  test::deadline deadline_{rt_, std::chrono::seconds{60}};
};

TEST_P(arenas, GiveBackWhatTheFunctionGivesAndThrowWhatItThrows) {
  arena a(rt_, {.workers = 1});
  EXPECT_EQ(a.run([] { return 7; }), 7);
  int x = 0;
  a.run([&]() -> int& { return x; }) = 5;
  EXPECT_EQ(x, 5);
  EXPECT_THROW(a.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  rt_.run([&] {
    EXPECT_EQ(a.run([] { return 8; }), 8);
    EXPECT_THROW(a.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  });
  EXPECT_EQ(a.async([] { return 9; }).get(), 9);
  EXPECT_EQ(a.run([] { return 7; }), 7) << "the place has been given back";
}

TEST_P(arenas, RefuseNoWorkersAndTakeMoreThanThereAre) {
  EXPECT_THROW(arena(rt_, {.workers = 0}), std::invalid_argument);
  const arena a(rt_, {.workers = 1000000});
  EXPECT_GE(a.workers(), GetParam());
}

// A wait for any of several futures begins the needed tasks itself, as soon as there is a place. It
// does so even if it was refused a place, and the place changed hands while the waiter went to
// sleep.
// A task in the arena may wait for what the caller does next.
TEST_P(arenas, RefuseACallHereOnlyWhileTheyAreFull) {
  if (GetParam() == 1) return;  // the caller itself would run the task
  arena one(rt_, {.workers = 1});
  std::latch inside(1);
  std::latch may_end(1);
  future<void> task = one.async([&] {
    inside.count_down();
    may_end.wait();
  });
  inside.wait();
  EXPECT_THROW(one.run([] { ADD_FAILURE(); }, {.here_only = true}), error);
  may_end.count_down();
  task.get();
  // The place may be given back a little later.
  for (bool called = false; !called;) {
    try {
      one.run([&] { called = true; }, {.here_only = true});
    } catch (const error&) {
      std::this_thread::yield();
    }
  }
}

TEST_P(arenas, AreEnteredByWhoWaitsForAnyOfTheirFutures) {
  arena a(rt_, {.workers = 1});
  for (int i = test::repetitions(300); i-- > 0; deadline_.renew()) {
    std::atomic<bool> taken{false};
    rt_.run([&] {
      auto waits = rt_.async([&] {
        while (!taken) std::this_thread::yield();
        std::vector<future<int>> made;
        made.push_back(a.async([] { return 3; }));
        return when_any(std::move(made)).get().index;
      });
      const auto enters = rt_.async([&] {
        for (int k = 0; k < 60; ++k) {
          a.run([&] {
            taken = true;
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{2};
            while (std::chrono::steady_clock::now() < end) {
            }
          });
        }
        waits.wait();
      });
      enters.wait();
      EXPECT_EQ(waits.get(), 0U);
    });
  }
}

TEST_P(arenas, LimitTasksOfGroups) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    a.run([&] {
      task_group group;
      for (int i = 0; i < 200; ++i) group.spawn([&] { g.visit(); });
      group.wait();
    });
    EXPECT_EQ(g.calls(), 200);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

TEST_P(arenas, LimitGroupsThatAreFilledFromOutside) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    task_group group(a);
    for (int i = 0; i < 300; ++i) {
      group.spawn([&] { g.visit(); }, {.priority = i % 3 == 0   ? priority::high
                                                   : i % 3 == 1 ? priority::normal
                                                                : priority::low});
    }
    group.wait();
    EXPECT_EQ(g.calls(), 300);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

TEST_P(arenas, LimitForksAndLoops) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    struct tree {
      gauge& leaves;
      int operator()(int depth) const {
        if (depth == 0) {
          leaves.visit();
          return 1;
        }
        const auto [l, r] =
            fork_join([&] { return (*this)(depth - 1); }, [&] { return (*this)(depth - 1); });
        return l + r;
      }
    };
    EXPECT_EQ(a.run([&] { return tree{g}(7); }), 128);
    a.run([&] { parallel_for(0, 300, [&](int) { g.visit(); }); });
    EXPECT_EQ(g.calls(), 428);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

TEST_P(arenas, LimitFuturesAndTheirContinuations) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    std::vector<future<int>> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(a.async([&g, i] {
        g.visit();
        return i;
      }));
    }
    auto sum = a.run([&] {
      std::vector<future<int>> next;
      for (auto& f : all) {
        next.push_back(std::move(f).then([&g](int i) {
          g.visit();
          return 2 * i;
        }));
      }
      return when_all(std::move(next)).then([&g](std::vector<future<int>> ended) {
        g.visit();
        int total = 0;
        for (auto& f : ended) total += f.get();
        return total;
      });
    });
    EXPECT_EQ(sum.get(), 9900);
    EXPECT_EQ(g.calls(), 201);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

TEST_P(arenas, LimitCoroutinesThatWereStartedInThem) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    const auto part = [&](int i) -> task<int> {
      g.visit();
      co_await rt_.schedule(i % 2 == 0 ? priority::normal : priority::low);
      g.visit();
      const int given = co_await rt_.async([i] { return i; });
      g.visit();
      co_return given;
    };
    const auto whole = [&]() -> task<int> {
      std::vector<task<int>> parts;
      for (int i = 0; i < 20; ++i) parts.push_back(part(i));
      const std::vector<int> values = co_await when_all(std::move(parts));
      g.visit();
      co_return std::accumulate(values.begin(), values.end(), 0);
    };
    future<int> started = a.run([&] { return start(rt_, whole()); });
    EXPECT_EQ(started.get(), 190);
    EXPECT_EQ(a.run([&] { return sync_wait(whole()); }), 190);
    EXPECT_EQ(g.calls(), 122);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

// Every task enters another arena, and within it the first arena again.
TEST_P(arenas, MayBeNested) {
  for (const unsigned n : places()) {
    arena outer(rt_, {.workers = n});
    arena inner(rt_, {.workers = 1});
    gauge outside;
    gauge inside;
    outer.run([&] {
      parallel_for(0, 60, [&](int i) {
        outside.visit();
        const int got = inner.run([&] {
          task_group group;
          for (int k = 0; k < 3; ++k) group.spawn([&] { inside.visit(); });
          group.wait();
          return outer.run([&] {
            outside.visit();
            return i;
          });
        });
        EXPECT_EQ(got, i);
        outside.visit();
      });
    });
    EXPECT_EQ(inside.calls(), 180);
    EXPECT_EQ(outside.calls(), 180);
    EXPECT_LE(outside.most(), static_cast<int>(n));
    EXPECT_LE(inside.most(), 1);
  }
}

// In both orders: a task with a place of one arena waits for a task of the other.
TEST_P(arenas, OfOnePlaceMayBeEnteredCrosswise) {
  arena a(rt_, {.workers = 1});
  arena b(rt_, {.workers = 1});
  std::atomic<int> ran{0};
  task_group group(rt_);
  for (int i = 0; i < 200; ++i) {
    arena& first = i % 2 == 0 ? a : b;
    arena& second = i % 2 == 0 ? b : a;
    group.spawn(
        [&] { first.run([&] { second.run([&] { first.run([&] { ran.fetch_add(1); }); }); }); });
  }
  group.wait();
  EXPECT_EQ(ran.load(), 200);
}

// T waits for V outside, which waits for a task of the arena that has not begun. There would be no
// place for that task if T kept its own.
TEST_P(arenas, LendThePlacesOfThoseWhoWait) {
  for (int i = 0; i < 50; ++i) {
    arena a(rt_, {.workers = 1});
    future<int> w;
    future<int> v;
    const int got = rt_.run([&] {
      w = a.async([] { return 1; });
      v = rt_.async([&] { return w.get() + 1; });
      return a.run([&] { return v.get() + 1; });
    });
    EXPECT_EQ(got, 3);
  }
}

// Each task waits for the next. With one worker they are all on one stack, and further than it
// reaches.
TEST_P(arenas, MayBeWaitedInDeeply) {
  arena a(rt_, {.workers = 1});
  struct chain {
    arena& in;
    int operator()(int depth) const {
      if (depth == 0) return 0;
      return in.async([this, depth] { return (*this)(depth - 1); }).get() + 1;
    }
  } const down{a};
  EXPECT_EQ(a.run([&] { return down(3000); }), 3000);
}

TEST_P(arenas, AreEnteredByTasksOfOtherRuntimes) {
  runtime other({.workers = 2, .pin_to = pinning::none});
  arena a(rt_, {.workers = 1});
  gauge g;
  task_group group(other);
  for (int i = 0; i < 40; ++i) {
    group.spawn([&a, &g, i] {
      const int got = a.run([&] {
        g.visit();
        return i;
      });
      EXPECT_EQ(got, i);
    });
  }
  group.wait();
  EXPECT_EQ(g.calls(), 40);
  EXPECT_LE(g.most(), 1);
}

TEST_P(arenas, KeepNobodyFromOtherWork) {
  if (GetParam() == 1) return;
  arena a(rt_, {.workers = 1});
  std::latch other(1);
  std::atomic<int> ran{0};
  task_group group(a);
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] {
      other.wait();  // the only place is taken until the other tasks have run
      ran.fetch_add(1);
    });
  }
  task_group free_group(rt_);
  free_group.spawn([&] { other.count_down(); });
  free_group.wait();
  group.wait();
  EXPECT_EQ(ran.load(), 100);
}

TEST_P(arenas, UseAllTheirPlaces) {
  const unsigned n = std::min(GetParam(), 3U);
  arena a(rt_, {.workers = n});
  std::latch all(n);
  task_group group(a);
  for (unsigned i = 0; i < n; ++i) group.spawn([&] { all.arrive_and_wait(); });
  group.wait();
}

TEST_P(arenas, AreCalledByManyThreadsOutside) {
  for (const unsigned n : places()) {
    arena a(rt_, {.workers = n});
    gauge g;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          a.run([&] {
            g.visit();
            parallel_for(0, 5, [&](int) { g.visit(); });
          });
        }
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(g.calls(), 480);
    EXPECT_LE(g.most(), static_cast<int>(n));
  }
}

TEST_P(arenas, StandStillForHolders) {
  arena a(rt_, {.workers = 2});
  gauge g;
  task_group group(a);
  for (int i = 0; i < 200; ++i) {
    group.spawn([&] {
      g.visit();
      task_group inner;
      for (int k = 0; k < 2; ++k) inner.spawn([&] { g.visit(); });
      inner.wait();
    });
    if (i % 20 == 0) {
      const hold_guard still = rt_.hold();
      const int before = g.calls();
      std::this_thread::yield();
      EXPECT_EQ(g.calls(), before);
    }
  }
  group.wait();
  EXPECT_EQ(g.calls(), 600);
  EXPECT_LE(g.most(), 2);
}

TEST_P(arenas, LendThePlacesOfThoseWhoBlock) {
  runtime rt({.workers = GetParam(), .spare_workers = 2, .pin_to = pinning::none});
  test::deadline in_time(rt);
  for (int i = 0; i < 20; ++i) {
    arena a(rt, {.workers = 1});
    std::latch came(1);
    gauge g;
    task_group group(a);
    group.spawn([&] {
      blocking([&] { came.wait(); });  // the other task needs the place to open it
      g.visit();
    });
    group.spawn([&] { came.count_down(); });
    for (int k = 0; k < 10; ++k) group.spawn([&] { g.visit(); });
    group.wait();
    EXPECT_EQ(g.calls(), 11);
    EXPECT_LE(g.most(), 1);
  }
}

TEST_P(arenas, DropWhatHasNotBegunWhenTheirGroupIsStopped) {
  arena a(rt_, {.workers = 1});
  std::atomic<int> ran{0};
  task_group group(a);
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] {
      if (ran.fetch_add(1) == 9) group.request_stop();
    });
  }
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_EQ(ran.load(), 10);
}

TEST_P(arenas, EndWithTheirRuntimeWhenThatIsStopped) {
  for (int i = 0; i < 10; ++i) {
    runtime rt({.workers = GetParam(), .pin_to = pinning::none});
    arena a(rt, {.workers = 1});
    std::atomic<int> ran{0};
    std::latch begun(1);
    std::vector<future<void>> all;
    all.push_back(a.async([&] {
      begun.count_down();
      while (!this_task::stop_requested()) std::this_thread::yield();
      a.run([&] { ran.fetch_add(1); });
    }));
    for (int k = 0; k < 100; ++k) all.push_back(a.async([&] { ran.fetch_add(1); }));
    begun.wait();
    rt.stop();
    int dropped = 0;
    for (auto& f : all) {
      ASSERT_TRUE(f.ready());
      try {
        f.get();
      } catch (const error&) {
        ++dropped;
      }
    }
    EXPECT_EQ(ran.load() + dropped, 101);
    EXPECT_THROW(a.run([] {}), error);
    EXPECT_THROW(static_cast<void>(a.async([] {})), error);
  }
}

TEST_P(arenas, AndTheirRuntimeMayEndWithWorkQueued) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> ran{0};
    {
      runtime rt({.workers = GetParam(), .pin_to = pinning::none});
      {
        arena a(rt, {.workers = 1});
        for (int k = 0; k < 100; ++k) static_cast<void>(a.async([&] { ran.fetch_add(1); }));
      }
    }
    EXPECT_EQ(ran.load(), 100);
  }
}

INSTANTIATE_TEST_SUITE_P(workers, arenas, testing::Values(1, 2, 3, 8, 64),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace evencube::arena_test
