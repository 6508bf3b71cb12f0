// Arenas in oneTBB's words: they bound how many run inside, give back what is called there, and
// carry out what is enqueued.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "either_tbb.hpp"

namespace {

/// How many are inside at once, and the most that ever were.
class gauge {
 public:
  void visit() {
    const int now = now_.fetch_add(1) + 1;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    if (calls_.fetch_add(1) % 32 == 0) std::this_thread::yield();
    now_.fetch_sub(1);
  }
  [[nodiscard]] int most() const { return most_.load(); }
  [[nodiscard]] int calls() const { return calls_.load(); }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
  std::atomic<int> calls_{0};
};

TEST(task_arenas, give_back_what_the_function_gives_and_throw_what_it_throws) {
  tbb::task_arena arena(2);
  EXPECT_EQ(arena.execute([] { return 7; }), 7);
  EXPECT_EQ(*arena.execute([] { return std::make_unique<int>(8); }), 8);
  int calls = 0;
  arena.execute([&]() mutable { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(arena.execute([] { throw std::range_error("no"); }), std::range_error);
  EXPECT_THROW(arena.execute([] {
    tbb::parallel_for(0, 1000, [](int i) {
      if (i == 700) throw std::range_error("700");
    });
  }),
               std::range_error);
  EXPECT_EQ(arena.execute([] { return 9; }), 9);
}

TEST(task_arenas, bound_how_many_are_inside) {
#ifdef EVENCUBE_TEST_TBB_ITSELF
  const int fewest = 2;  // one of a single place lends another one to what threads wait for
#else
  const int fewest = 1;
#endif
  for (int places = fewest; places <= 3; ++places) {
    tbb::task_arena arena(places);
    gauge inside;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        arena.execute([&] {
          tbb::parallel_for(
              tbb::blocked_range<int>(0, 2000), [&](const auto&) { inside.visit(); },
              tbb::simple_partitioner());
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(inside.calls(), 8000);
    EXPECT_LE(inside.most(), places);
  }
}

TEST(task_arenas, carry_out_what_is_enqueued) {
  std::atomic<int> left{300};
  std::promise<void> last;
  const auto work = [&] {
    if (--left == 0) last.set_value();
  };
  {
    tbb::task_arena arena(2, 0, tbb::task_arena::priority::low);
    tbb::task_arena urgent(2, 0, tbb::task_arena::priority::high);
    for (int i = 0; i < 50; ++i) {
      arena.enqueue(work);
      urgent.enqueue(work);
    }
    tbb::parallel_for(0, 100, [&](int) { arena.enqueue(work); });
    arena.execute([&] {
      for (int i = 0; i < 50; ++i) tbb::this_task_arena::enqueue(work);
    });
    for (int i = 0; i < 50; ++i) tbb::this_task_arena::enqueue(work);
  }  // it goes on without the arenas
  last.get_future().wait();
  EXPECT_EQ(left, 0);
}

TEST(task_arenas, have_a_limit_and_number_their_threads) {
  tbb::task_arena three(3);
  EXPECT_EQ(three.max_concurrency(), 3);
  EXPECT_EQ(tbb::task_arena().max_concurrency(), tbb::info::default_concurrency());
  std::atomic<bool> in_range{true};
  three.execute([&] {
    tbb::parallel_for(0, 1000, [&](int) {
      const int index = tbb::this_task_arena::current_thread_index();
      if (index < 0 || index >= tbb::this_task_arena::max_concurrency()) in_range = false;
    });
  });
  EXPECT_TRUE(in_range);
}

TEST(task_arenas, are_made_when_they_are_needed_and_ended) {
  tbb::task_arena arena;
  EXPECT_FALSE(arena.is_active());
  arena.initialize(2);
  EXPECT_TRUE(arena.is_active());
  EXPECT_EQ(arena.max_concurrency(), 2);
  tbb::task_arena other(arena);
  EXPECT_FALSE(other.is_active());
  EXPECT_EQ(other.max_concurrency(), 2);
  other.execute([] {});
  EXPECT_TRUE(other.is_active());
  arena.terminate();
  EXPECT_FALSE(arena.is_active());
  EXPECT_EQ(arena.execute([] { return 1; }), 1);
}

// Not oneTBB itself: 2021.8 hung here once, after thousands of times in which it did not.
#ifndef EVENCUBE_TEST_TBB_ITSELF
TEST(task_arenas, stand_within_one_another) {
  tbb::task_arena outer(2);
  tbb::task_arena inner(1);
  gauge inside;
  outer.execute([&] {
    tbb::parallel_for(0, 20, [&](int) {
      inner.execute([&] {
        inside.visit();
        outer.execute([&] { tbb::parallel_for(0, 10, [](int) {}); });
      });
    });
  });
  EXPECT_EQ(inside.calls(), 20);
}
#endif

TEST(task_arenas, take_the_tasks_of_groups_and_wait_for_them) {
  tbb::task_arena arena(2);
  std::atomic<int> ran{0};
  tbb::task_group made_outside;
  arena.execute([&] {
    for (int i = 0; i < 100; ++i) made_outside.run([&] { ++ran; });
  });
  arena.execute([&] { made_outside.wait(); });
  EXPECT_EQ(ran, 100);
  gauge inside;
  arena.execute([&] {
    tbb::task_group made_inside;
    for (int i = 0; i < 1000; ++i) made_inside.run([&] { inside.visit(); });
    made_inside.wait();
  });
  EXPECT_EQ(inside.calls(), 1000);
  EXPECT_LE(inside.most(), 2);
}

TEST(task_arenas, isolate_what_is_called) {
  tbb::task_arena arena(2);
  int calls = 0;
  arena.execute([&] {
    tbb::this_task_arena::isolate([&]() mutable {
      tbb::parallel_for(0, 5, [](int) {});
      ++calls;
    });
  });
  EXPECT_EQ(calls, 1);
}

tbb::task_arena before_main(2);

TEST(task_arenas, may_be_made_before_main_and_ended_after_it) {
  EXPECT_EQ(before_main.execute([] { return 3; }), 3);
}

#ifndef EVENCUBE_TEST_TBB_ITSELF
TEST(task_arenas, refuse_a_limit_that_is_none) {
  for (const int limit : {0, -2, -7}) {
    tbb::task_arena arena(limit);
    try {
      arena.initialize();
      ADD_FAILURE() << limit;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(std::to_string(limit)), std::string::npos);
    }
  }
}

TEST(task_arenas, belong_to_the_runtime_of_the_task_that_uses_them_first) {
  evencube::runtime rt({.workers = 3, .pin_to = evencube::pinning::none});
  rt.run([&] {
    tbb::task_arena arena(2);
    arena.execute([&] { EXPECT_EQ(evencube::this_task::runtime(), &rt); });
    EXPECT_EQ(tbb::task_arena().max_concurrency(), 3);
  });
}
#endif

}  // namespace
