#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <evencube/algorithms.hpp>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/repetitions.hpp"
#include "support.hpp"

namespace evencube::balanced_loop_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

using balanced_loops = test::on_workers;

/// The properties of every partition, whatever was measured.
template <typename Loop>
void expect_partition(const Loop& loop, unsigned workers) {
  const auto blocks = loop.partition();
  ASSERT_EQ(blocks.size(), workers);
  EXPECT_EQ(blocks.back().last, loop.size());
  std::vector<int> times_named(workers, 0);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    EXPECT_LE(blocks[k].first, blocks[k].last);
    EXPECT_EQ(blocks[k].first, k != 0 ? blocks[k - 1].last : 0);
    ++times_named.at(blocks[k].worker);
  }
  EXPECT_THAT(times_named, Each(1));
}

TEST_P(balanced_loops, call_every_item_once_in_every_run) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 5, 63, 1000, 20000}) {
    balanced_loop loop(rt_, std::size_t{0}, n);
    std::vector<int> calls(n, 0);
    for (int run = 0; run < 10; ++run) {
      loop.run([&](std::size_t first, std::size_t last) {
        EXPECT_LT(first, last);
        for (std::size_t i = first; i < last; ++i) ++calls[i];
      });
      // from inside a task, one item at a time
      rt_.run([&] { loop.run([&](std::size_t i) { ++calls[i]; }); });
      expect_partition(loop, rt_.workers());
    }
    EXPECT_THAT(calls, Each(20));
    EXPECT_EQ(loop.statistics().runs, n != 0 ? 20u : 0u);
  }
}

TEST(a_balanced_loop_of_one_worker, calls_its_body_once) {
  runtime alone({.workers = 1});
  balanced_loop loop(alone, 0, 20000);
  int calls = 0;
  for (int run = 0; run < 3; ++run) {
    loop.run([&](int first, int last) {
      ++calls;
      EXPECT_EQ(last - first, 20000);
    });
  }
  EXPECT_EQ(calls, 3);
}

TEST_P(balanced_loops, take_any_bounds) {
  std::atomic<std::int64_t> sum{0};
  balanced_loop loop(rt_, -100, 101);
  loop.run([&](int first, int last) {
    for (int i = first; i < last; ++i) sum += i * i;
  });
  EXPECT_EQ(sum, 2 * 100 * 101 * 201 / 6);
  balanced_loop backwards(rt_, 5, -5);
  backwards.run([&](int) { ADD_FAILURE(); });
  // There are more items than the units of a partition can count.
  const std::uint64_t many = std::uint64_t{5} << 32;
  std::atomic<std::uint64_t> items{0};
  balanced_loop wide(rt_, std::uint64_t{0}, many);
  constexpr int runs = 10;  // enough that one begins in place
  for (int run = 0; run < runs; ++run) {
    wide.run([&](std::uint64_t first, std::uint64_t last) { items += last - first; });
  }
  EXPECT_EQ(items, runs * many);
  // The largest number of items that can be counted.
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  balanced_loop whole(rt_, std::uint64_t{0}, most);
  items = 0;
  whole.run([&](std::uint64_t first, std::uint64_t last) {
    EXPECT_LT(first, last);
    items += last - first;
  });
  EXPECT_EQ(items, most);
  EXPECT_EQ(
      whole.reduce(
          std::uint64_t{0}, [](std::uint64_t first, std::uint64_t last) { return last - first; },
          std::plus<>{}),
      most);
  EXPECT_THROW((balanced_loop<unsigned>(rt_, -1, 5u)), std::invalid_argument);
}

TEST_P(balanced_loops, go_over_blocks_of_two_dimensions) {
  std::vector<int> calls(70 * 90, 0);
  balanced_loop tiles(rt_, blocked_range_2d(blocked_range(0, 70, 8), blocked_range(0, 90, 16)));
  EXPECT_EQ(tiles.size(), 9u * 6u);
  for (int run = 0; run < 5; ++run) {
    tiles.run([&](const blocked_range_2d<int>& tile) {
      for (int y = tile.rows().begin(); y < tile.rows().end(); ++y) {
        for (int x = tile.columns().begin(); x < tile.columns().end(); ++x) {
          ++calls[static_cast<std::size_t>(y * 90 + x)];
        }
      }
    });
  }
  EXPECT_THAT(calls, Each(5));
}

TEST_P(balanced_loops, reduce_to_the_same_bits_for_any_workers_and_partition) {
  const auto term = [](int i) { return 1.0 / (i + 1) - 0.3; };
  const auto plus = [](double a, double b) { return a + b; };
  runtime alone({.workers = 1});
  const double expected = balanced_loop(alone, 0, 12345).reduce(0.5, term, plus);
  balanced_loop loop(rt_, 0, 12345);
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(loop.reduce(0.5, term, plus), expected);
    // The boundaries move between two runs.
    loop.run([&](int i) {
      volatile double x = 0;
      if (i < 100 * run) x = x + term(i);
    });
  }
  const std::string word =
      balanced_loop(rt_, 0, 30)
          .reduce(
              std::string("begin "), [](int i) { return std::to_string(i); },
              [](std::string a, const std::string& b) { return std::move(a) + b; }, 4);
  EXPECT_EQ(word, "begin 01234567891011121314151617181920212223242526272829");
  EXPECT_EQ(balanced_loop(rt_, 0, 1000)
                .reduce(
                    0, [](int first, int last) { return last - first; }, std::plus<>()),
            1000);
  EXPECT_EQ(balanced_loop(rt_, 0, 0).reduce(7.0, term, plus), 7.0);
}

TEST_P(balanced_loops, pass_on_an_exception_and_can_be_run_again) {
  balanced_loop loop(rt_, 0, 100000);
  std::atomic<int> begun{0};
  for (int run = 0; run < 20; ++run) {
    EXPECT_THROW(loop.run([&](int i) {
      ++begun;
      if (i % 1000 == 77) throw std::out_of_range("77");
    }),
                 std::out_of_range);
  }
  EXPECT_EQ(loop.statistics().runs, 0u);
  std::atomic<int> items{0};
  loop.run([&](int first, int last) { items += last - first; });
  EXPECT_EQ(items, 100000);
}

/// Every item reads what its neighbours wrote in the sweep before.
TEST_P(balanced_loops, repeat_with_a_barrier_between_sweeps) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 5, 63, 1000}) {
    for (const std::size_t sweeps : std::vector<std::size_t>{0, 1, 2, 7, 700}) {
      balanced_loop loop(rt_, std::size_t{0}, n);
      std::vector<std::size_t> now(n, 0);
      std::vector<std::size_t> before(n, 0);
      std::atomic<int> wrong{0};
      const auto sweep_items = [&](std::size_t sweep, std::size_t first, std::size_t last) {
        const std::vector<std::size_t>& from = sweep % 2 == 0 ? before : now;
        std::vector<std::size_t>& to = sweep % 2 == 0 ? now : before;
        for (std::size_t i = first; i < last; ++i) {
          if (from[i] != sweep || from[i != 0 ? i - 1 : 0] != sweep ||
              from[std::min(i + 1, n - 1)] != sweep) {
            ++wrong;
          }
          to[i] = sweep + 1;
        }
      };
      loop.repeat(sweeps, sweep_items);
      EXPECT_EQ(wrong, 0);
      EXPECT_THAT(sweeps % 2 == 0 ? before : now, Each(sweeps));
      EXPECT_EQ(loop.statistics().runs, n != 0 ? sweeps : 0u);
      expect_partition(loop, rt_.workers());
    }
  }
}

TEST_P(balanced_loops, repeat_items_and_tiles_inside_of_tasks) {
  std::vector<int> calls(70 * 90, 0);
  balanced_loop tiles(rt_, blocked_range_2d(blocked_range(0, 70, 8), blocked_range(0, 90, 16)));
  balanced_loop items(rt_, -3, 500);
  std::atomic<std::int64_t> sum{0};
  rt_.run([&] {
    tiles.repeat(5, [&](std::size_t, const blocked_range_2d<int>& tile) {
      for (int y = tile.rows().begin(); y < tile.rows().end(); ++y) {
        for (int x = tile.columns().begin(); x < tile.columns().end(); ++x) {
          ++calls[static_cast<std::size_t>(y * 90 + x)];
        }
      }
    });
    // Sweeps in which other tasks are spawned and waited for.
    items.repeat(20, [&](std::size_t sweep, int i) {
      task_group inner;
      for (int k = 0; k < 2; ++k) inner.spawn([&, i] { sum += i; });
      inner.wait();
      EXPECT_LT(sweep, 20u);
    });
  });
  EXPECT_THAT(calls, Each(5));
  EXPECT_EQ(sum, 2 * 20 * (499 * 500 / 2 - 6));
}

TEST_P(balanced_loops, leave_out_the_sweeps_after_an_exception) {
  balanced_loop loop(rt_, 0, 1000);
  for (int run = 0; run < 20; ++run) {
    std::atomic<std::size_t> last_sweep{0};
    EXPECT_THROW(loop.repeat(100,
                             [&](std::size_t sweep, int i) {
                               if (i == 0) last_sweep = sweep;
                               if (sweep == 37 && i == 500) throw std::out_of_range("500");
                             }),
                 std::out_of_range);
    EXPECT_LE(last_sweep, 37u);
  }
  std::atomic<int> items{0};
  loop.repeat(3, [&](std::size_t, int first, int last) { items += last - first; });
  EXPECT_EQ(items, 3000);
  EXPECT_THROW(loop.repeat(2, [&](std::size_t, int) { loop.repeat(1, [](std::size_t, int) {}); }),
               error);
}

TEST_P(balanced_loops, refuse_a_run_within_a_run) {
  balanced_loop loop(rt_, 0, 100);
  try {
    loop.run([&](int) { loop.run([](int) {}); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("a run of this loop is under way"));
  }
}

TEST_P(balanced_loops, change_their_length) {
  balanced_loop loop(rt_, 0, 100);
  for (const int n : {100, 5000, 7, 0, 1, 64}) {
    loop.resize(-n, n);
    std::atomic<int> items{0};
    for (int run = 0; run < 3; ++run) {
      loop.run([&](int first, int last) {
        EXPECT_GE(first, -n);
        EXPECT_LE(last, n);
        items += last - first;
      });
    }
    EXPECT_EQ(items, 3 * 2 * n);
    expect_partition(loop, rt_.workers());
  }
}

INSTANTIATE_TEST_SUITE_P(, balanced_loops, testing::Values(1, 2, 3, 8, 64), test::workers_name);

void spin(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

// If another program takes the processor, a short run is taken for a long one. So both tests go on
// until they are left in peace.
TEST(a_short_run, wakes_nobody) {
  if (test::sanitizer_slowness != 1) GTEST_SKIP() << "a sanitizer makes short runs long";
  runtime rt({.workers = 2, .hotness = hotness::never});
  test::deadline deadline(rt);
  balanced_loop loop(rt, 0, 16);
  std::uint64_t woken = 100;
  while (woken > 5) {
    rt.reset_stats();
    for (int run = 0; run < 100; ++run) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // the other worker sleeps
      loop.run([](int) {});
    }
    woken = rt.stats().workers[1].parks;
  }
}

TEST(a_long_run, wakes_the_other_worker) {
  runtime rt({.workers = 2, .hotness = hotness::never});
  test::deadline deadline(rt);
  balanced_loop loop(rt, 0, 16);
  rt.reset_stats();
  for (int run = 0; run < 20; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    loop.run([](int) { spin(std::chrono::microseconds(50)); });
  }
  EXPECT_GE(rt.stats().workers[1].parks, 10U);
}

// Each item runs once, also in a run that begins in place and is shared when it takes long. Its
// items wait for the other worker, which comes only then.
TEST(a_short_run, is_shared_once_it_takes_long) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt);
  balanced_loop loop(rt, 0, 61);
  std::vector<std::atomic<int>> calls(61);
  std::atomic<bool> long_one{false};
  std::atomic<bool> helped{false};
  int runs = 0;
  const auto run = [&] {
    loop.run([&](int i) {
      ++calls[static_cast<std::size_t>(i)];
      if (!long_one) return;
      if (this_task::worker() == 1) helped = true;
      if (!helped) spin(std::chrono::milliseconds(1));
    });
    ++runs;
  };
  for (int times = 0; times < 3; ++times) {
    for (helped = false; !helped;) {
      for (int i = 0; i < 200; ++i) run();
      long_one = true;
      run();
      long_one = false;
    }
  }
  for (const auto& of_item : calls) EXPECT_EQ(of_item, runs);
  EXPECT_EQ(loop.statistics().runs, static_cast<std::uint64_t>(runs));
}

TEST(a_short_run, passes_on_an_exception) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt);
  balanced_loop loop(rt, 0, 16);
  for (int run = 0; run < 300; ++run) {
    int failing = run % 10 == 9 ? run % 16 : -1;
    std::atomic<int> items{0};
    const auto body = [&](int i) {
      if (i == failing) throw std::out_of_range("no");
      ++items;
    };
    if (failing >= 0) {
      EXPECT_THROW(loop.run(body), std::out_of_range);
    } else {
      loop.run(body);
      EXPECT_EQ(items, 16);
    }
  }
}

// A busy worker holds up no other worker: worker 1 does something else, and its block gets done.
TEST(balanced_loop, is_not_held_up_by_a_worker_that_is_busy) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt);
  std::atomic<bool> busy{false};
  std::atomic<bool> done{false};
  rt.run([&] {
    task_group group;
    group.spawn(
        [&] {
          busy = true;
          while (!done) continue;
        },
        {.home = 1});
    while (!busy) continue;
    balanced_loop loop(rt, 0, 1000);
    std::atomic<int> items{0};
    loop.run([&](int) { ++items; });
    EXPECT_EQ(items, 1000);
    done = true;
    group.wait();
  });
}

// Worker 1 is kept away for the first sweeps, comes when it can, and is there in the end.
TEST(balanced_loop, repeats_while_a_worker_comes_and_goes) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt);
  std::atomic<bool> busy{false};
  std::atomic<bool> released{false};
  std::atomic<int> by_worker_1{0};
  std::atomic<int> items{0};
  rt.run([&] {
    task_group group;
    group.spawn(
        [&] {
          busy = true;
          while (!released) continue;
        },
        {.home = 1});
    while (!busy) continue;
    balanced_loop loop(rt, 0, 100);
    loop.repeat(400, [&](std::size_t sweep, int i) {
      ++items;
      if (sweep == 10) released = true;
      if (this_task::worker() == 1) ++by_worker_1;
      // Longer than anybody waits: the other one leaves the loop and has to be called back.
      if (sweep % 100 == 50 && i == 0) spin(std::chrono::microseconds(200));
      if (sweep > 10) spin(std::chrono::microseconds(1));
    });
    group.wait();
  });
  EXPECT_EQ(items, 400 * 100);
  EXPECT_GT(by_worker_1, 0);
}

TEST(balanced_loop, moves_its_boundary_to_where_the_work_is) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt, std::chrono::seconds(240));
  balanced_loop loop(rt, 0, 200);
  const auto ramp = [](int i) { spin(std::chrono::microseconds(i / 4)); };
  // The measured times are nonsense while other programs use the processors, but only for a while.
  std::uint64_t boundary = 0;
  const auto near_the_root = [&] {
    for (int run = 0; run < 10; ++run) loop.run(ramp);
    boundary = loop.partition()[0].last;
    return boundary > 120 && boundary < 165;  // half of the work is before 200/sqrt(2) = 141
  };
  while (!near_the_root()) continue;
  EXPECT_GT(loop.statistics().moves, 0u);
  EXPECT_GT(loop.statistics().moved_items, 0u);
}

TEST(balanced_loop, allows_one_run_at_a_time_of_several_threads) {
  runtime rt({.workers = 3});
  test::deadline deadline(rt);
  balanced_loop loop(rt, 0, 500);
  std::atomic<int> items{0};
  std::atomic<int> whole{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        try {
          loop.run([&](int) { ++items; });
          ++whole;
        } catch (const error&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(whole, 0);
  EXPECT_EQ(items, 500 * whole);
}

// The tasks of a loop's runs belong to the group around the loop. If the group was stopped, the
// tasks are dropped, and the loop does all of the work alone.
TEST(balanced_loop, ends_in_a_stopped_group) {
  runtime rt({.workers = 3});
  test::deadline deadline(rt);
  std::atomic<int> items{0};
  rt.run([&] {
    task_group group;
    group.spawn([&] {
      group.request_stop();
      balanced_loop loop(rt, 0, 300);
      loop.run([&](int) { ++items; });
      loop.repeat(100, [&](std::size_t, int) { ++items; });
    });
    static_cast<void>(group.wait());
  });
  EXPECT_EQ(items, 101 * 300);
}

}  // namespace
}  // namespace evencube::balanced_loop_test
