// How many threads run bodies, and which: under limits, and for threads outside. And how an
// exception ends the program if it shall.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "either_tbb.hpp"

namespace {

using range = tbb::blocked_range<int>;

TEST(limit_above_the_processors, ends_with_its_control) {
  // Workers may take turns in a place, so threads that were ever there would be too many.
  const auto most_at_once = [] {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    tbb::parallel_for(
        range(0, 100),
        [&](const range&) {
          const int now = ++inside;
          int before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {
          }
          std::this_thread::sleep_for(std::chrono::microseconds{100});
          --inside;
        },
        tbb::simple_partitioner());
    return most.load();
  };
  const int usual = tbb::info::default_concurrency();
  {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism,
                                   static_cast<std::size_t>(usual) + 6);
    EXPECT_LE(most_at_once(), usual + 6);
  }
  EXPECT_LE(most_at_once(), usual);
}

TEST(limit, holds_for_a_thread_outside_that_waits_for_a_group) {
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  const auto body = [&] {
    const int now = ++inside;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds{300});
    --inside;
  };
  for (int round = 0; round < 20; ++round) {
    tbb::task_group group;
    for (int i = 0; i < 20; ++i) group.run(body);
    group.wait();
  }
  EXPECT_LE(most, 2);
}

TEST(terminating, holds_while_any_control_asks_for_it) {
  using control = tbb::global_control;
  const auto active = [] { return control::active_value(control::terminate_on_exception); };
  EXPECT_EQ(active(), 0U);
  {
    const control on(control::terminate_on_exception, 1);
    EXPECT_EQ(active(), 1U);
    const control off(control::terminate_on_exception, 0);
    EXPECT_EQ(active(), 1U);
  }
  EXPECT_EQ(active(), 0U);
  EXPECT_THROW(tbb::parallel_for(0, 10, [](int) { throw 1; }), int);
}

// A body of a reduction that cannot be split.
struct unsplittable {
  unsplittable() = default;
  unsplittable(unsplittable& /*other*/, tbb::split /*tag*/) { throw 1; }
  void operator()(const range& /*part*/) {}
  void join(const unsplittable& /*right*/) {}
};

TEST(terminating_DeathTest, ends_the_program_by_an_exception_of_what_is_called) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_control = [](auto&& call) {
    std::set_terminate([] {
      std::fputs("terminated\n", stderr);
      std::abort();
    });
    const tbb::global_control on(tbb::global_control::terminate_on_exception, 1);
    call();
  };
  EXPECT_DEATH(with_control([] { tbb::parallel_for(0, 10, [](int) { throw 1; }); }), "terminated");
  EXPECT_DEATH(with_control([] {
                 tbb::task_group group;
                 group.run([] { throw 1; });
                 group.wait();
               }),
               "terminated");
  EXPECT_DEATH(with_control([] {
                 unsplittable body;
                 tbb::parallel_deterministic_reduce(range(0, 100), body);
               }),
               "terminated");
  EXPECT_DEATH(with_control([] {
                 std::vector<int> many(100'000);
                 for (int i = 0; i < 100'000; ++i) many[static_cast<std::size_t>(i)] = i * 7 % 1000;
                 std::atomic<int> compared{0};
                 tbb::parallel_sort(many.begin(), many.end(), [&](int a, int b) {
                   if (++compared > 50'000) throw 1;
                   return a < b;
                 });
               }),
               "terminated");
}

TEST(limit_of_one, runs_everything_on_the_calling_thread) {
  tbb::parallel_for(0, 10, [](int) {});  // the threads are there
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i % 2 != 0 ? 1e4F : 1.0F) / static_cast<float>(i + 3);
  }
  const auto me = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  const auto note = [&] {
    if (std::this_thread::get_id() != me) ++elsewhere;
  };
  std::set<float> sums;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    for (int round = 0; round < 200; ++round) {
      sums.insert(tbb::parallel_reduce(
          tbb::blocked_range<std::size_t>(0, values.size()), 0.0F,
          [&](const tbb::blocked_range<std::size_t>& r, float sum) {
            note();
            for (std::size_t i = r.begin(); i < r.end(); ++i) sum += values[i];
            return sum;
          },
          std::plus<float>(), tbb::simple_partitioner()));
    }
    tbb::task_group group;
    int ran = 0;  // not atomic
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        note();
        ++ran;
        tbb::parallel_for(0, 10, [&](int) { note(); });
      });
    }
    group.wait();
    EXPECT_EQ(ran, 100);
    tbb::task_arena(4).execute([&] { tbb::parallel_for(0, 100, [&](int) { note(); }); });
  }
  EXPECT_EQ(sums.size(), 1U);
  EXPECT_EQ(elsewhere, 0);
}

TEST(limit, can_be_raised_again) {
  using tbb::global_control;
  {
    const global_control few(global_control::max_allowed_parallelism, 2);
    tbb::parallel_for(0, 100, [](int) {});
  }
  const global_control more(global_control::max_allowed_parallelism, 4);
  EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), 4U);
#ifndef EVENCUBE_TEST_TBB_ITSELF
  EXPECT_GE(tbb::default_runtime().workers(), 4U);
#endif
}

// oneTBB limits the threads by its own, the cores', number.
#ifndef EVENCUBE_TEST_TBB_ITSELF
void loops_that_wait_for_one_another(std::ptrdiff_t threads) {
  for (int round = 0; round < 20; ++round) {
    std::latch all(threads);
    std::vector<std::thread> callers;
    for (std::ptrdiff_t t = 0; t < threads; ++t) {
      callers.emplace_back(
          [&] { tbb::parallel_for(range(0, 1), [&](const range&) { all.arrive_and_wait(); }); });
    }
    for (std::thread& caller : callers) caller.join();
  }
}
TEST(threads_outside, each_run_their_own_loop) {
  loops_that_wait_for_one_another(static_cast<std::ptrdiff_t>(tbb::default_runtime().workers()) +
                                  3);
}
TEST(threads_outside, each_run_their_own_loop_under_a_limit) {
  const auto limit = [](std::size_t threads) {
    return std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                 threads);
  };
  const auto most = limit(8);
  tbb::parallel_for(0, 100, [](int) {});
  const auto fewer = limit(2);
  loops_that_wait_for_one_another(5);
}
#endif

TEST(threads_outside, take_part_in_the_work_of_a_group) {
  const auto me = std::this_thread::get_id();
  std::atomic<int> mine{0};
  std::atomic<int> all{0};
  for (int round = 0; round < 1000 && mine == 0; ++round) {
    tbb::task_group group;
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
        while (std::chrono::steady_clock::now() < until) {
        }
        ++all;
        if (std::this_thread::get_id() == me) ++mine;
      });
    }
    group.wait();
    EXPECT_EQ(all % 100, 0);
  }
  EXPECT_GT(mine, 0);
}

}  // namespace
