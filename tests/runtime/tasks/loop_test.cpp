#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "deadline.hpp"

namespace evencube::loop_test {
namespace {

class loops : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

std::string digits(int first, int last) {
  std::string text;
  for (int i = first; i < last; ++i) text += std::to_string(i) + ' ';
  return text;
}

// Strings do not commute: a piece that is combined out of place would show.
TEST_P(loops, fold_in_the_order_of_the_iterations) {
  const std::string all = digits(-100, 2000);
  for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      const std::string folded = rt_.run([&] {
        return parallel_reduce(
            -100, 2000, std::string{"begin "}, [](int i) { return std::to_string(i) + ' '; },
            [](std::string a, const std::string& b) { return std::move(a) + b; }, {.grain = grain});
      });
      ASSERT_EQ(folded, "begin " + all) << "grain " << grain;
    }
  }
}

/// A small, simple type that cannot be copied.
struct only_moved {
  int sum = 0;

  explicit only_moved(int of) : sum(of) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
};

TEST_P(loops, fold_small_values_that_can_only_be_moved) {
  static_assert(std::is_trivially_copyable_v<only_moved>);
  for (const int last : {0, 1, 20, 5000}) {
    const only_moved sum = rt_.run([&] {
      return parallel_reduce(
          0, last, only_moved(1), [](int i) { return only_moved(i); },
          [](only_moved a, only_moved b) { return only_moved(a.sum + b.sum); });
    });
    EXPECT_EQ(sum.sum, 1 + last * (last - 1) / 2);
  }
}

TEST_P(loops, of_no_iterations_return_what_they_began_with) {
  rt_.run([] {
    const auto sum = [](int first, int last) {
      return parallel_reduce(first, last, 7, [](int i) { return i; }, std::plus<>{});
    };
    EXPECT_EQ(sum(5, 5), 7);
    EXPECT_EQ(sum(5, 3), 7);
    EXPECT_EQ(sum(5, 6), 12);
  });
}

std::uint64_t leaves_of(unsigned depth, std::uint64_t seed) {
  if (depth == 0) return 1;
  const std::uint64_t children = seed % 7;
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; i < children; ++i) sum += leaves_of(depth - 1, seed * 31 + i * 17 + 1);
  return sum;
}

std::uint64_t leaves_in_parallel(unsigned depth, std::uint64_t seed) {
  if (depth == 0) return 1;
  return parallel_reduce(
      std::uint64_t{0}, seed % 7, std::uint64_t{1},
      [=](std::uint64_t i) { return leaves_in_parallel(depth - 1, seed * 31 + i * 17 + 1); },
      std::plus<>{});
}

TEST_P(loops, nest_as_deep_as_a_tree) {
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    EXPECT_EQ(rt_.run([=] { return leaves_in_parallel(9, seed); }), leaves_of(9, seed)) << seed;
  }
}

// Loops, forks and groups inside each other: each waits for the pieces of the others.
TEST_P(loops, mix_with_forks_and_groups) {
  std::atomic<int> ran{0};
  rt_.run([&] {
    for (int repetition = 0; repetition < 20; ++repetition) {
      parallel_for(0, 20,
                   [&](int) {
                     fork_join(
                         [&] {
                           task_group group;
                           for (int j = 0; j < 5; ++j) {
                             group.spawn([&] {
                               ran +=
                                   parallel_reduce(0, 4, 0, [](int) { return 1; }, std::plus<>{});
                             });
                           }
                           group.wait();
                         },
                         [&] { parallel_for(0, 10, [&](int) { ++ran; }, {.grain = 1}); });
                   },
                   {.grain = 1});
    }
  });
  EXPECT_EQ(ran, 20 * 20 * 30);
}

TEST_P(loops, throw_after_every_piece_has_ended) {
  for (int at = 0; at < 300; at += 13) {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    EXPECT_THROW(rt_.run([&] {
      static_cast<void>(parallel_reduce(
          0, 300, std::vector<int>{},
          [&](int i) {
            ++begun;
            if (i == at) {
              ++ended;
              throw std::runtime_error("on purpose");
            }
            for (int spin = 0; spin < 200; ++spin) __asm__ volatile("");
            ++ended;
            return std::vector<int>(3, i);
          },
          [](std::vector<int> a, const std::vector<int>& b) {
            a.insert(a.end(), b.begin(), b.end());
            return a;
          }));
    }),
                 std::runtime_error);
    EXPECT_EQ(begun, ended) << "thrown at " << at;
    EXPECT_LE(begun, 300);
  }
}

TEST_P(loops, visit_every_index_once) {
  std::mt19937 random(GetParam());
  for (int repetition = 0; repetition < 30; ++repetition) {
    const auto n = std::uniform_int_distribution<std::size_t>(0, 5000)(random);
    std::vector<std::atomic<int>> visits(n);
    rt_.run([&] {
      parallel_for(std::size_t{0}, n, [&](std::size_t i) { ++visits[i]; },
                   {.grain = static_cast<std::size_t>(repetition % 5)});
    });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(visits[i], 1) << i << " of " << n;
  }
}

// The range has more iterations than half of the numbers of its type; with 64 bits, the largest
// number that can be counted.
TEST_P(loops, reach_from_one_end_of_a_type_to_the_other) {
  std::vector<std::atomic<int>> visits(256);
  rt_.run([&] {
    parallel_for(std::numeric_limits<signed char>::min(), std::numeric_limits<signed char>::max(),
                 [&](signed char i) { ++visits[static_cast<std::size_t>(i + 128)]; });
  });
  for (std::size_t i = 0; i < 255; ++i) ASSERT_EQ(visits[i], 1) << i;
  EXPECT_EQ(visits[255], 0);

  using wide = std::numeric_limits<std::int64_t>;
  std::atomic<int> below{0};
  EXPECT_THROW(rt_.run([&] {
    parallel_for(wide::min(), wide::max(), [&](std::int64_t i) {
      if (++below > 1000) throw i;
    });
  }),
               std::int64_t);
}

// A worker that the operating system stops holds up the piece that it runs, and no other piece: a
// worker that waits for it runs the rest.
/// The message of the exception; empty if there is none.
template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

// A negative bound together with an unsigned one used to be a large number.
TEST_P(loops, count_over_bounds_of_different_types_or_refuse_them) {
  rt_.run([&] {
    std::atomic<int> calls{0};
    const auto count = [&calls](auto) { ++calls; };
    const auto sum = [](auto first, auto last) {
      return parallel_reduce(
          first, last, std::int64_t{0}, [](auto i) { return static_cast<std::int64_t>(i); },
          std::plus<>{});
    };
    parallel_for(0, std::size_t{10}, count);
    parallel_for(std::size_t{10}, 20, count);
    parallel_for(std::int64_t{-5}, 5U, count);
    parallel_for(std::int8_t{-5}, 5, count);
    parallel_for(7, 3U, count);
    EXPECT_EQ(calls, 40);
    EXPECT_EQ(sum(std::int64_t{-5}, 5U), -5);
    EXPECT_EQ(sum(1, std::uint64_t{4}), 6);

    const std::string begins = ": the bound -1 is not allowed; at least 0, at most ";
    EXPECT_EQ(refusal([&] { parallel_for(-1, 10U, count); }),
              "parallel_for" + begins + "4294967295");
    EXPECT_EQ(refusal([&] { parallel_for(std::size_t{0}, -1, count); }),
              "parallel_for" + begins + "18446744073709551615");
    EXPECT_EQ(refusal([&] { static_cast<void>(sum(-1, std::uint64_t{10})); }),
              "parallel_reduce" + begins + "18446744073709551615");
    EXPECT_EQ(refusal([&] {
                parallel_for(std::numeric_limits<std::int64_t>::min(), std::uint64_t{10}, count);
              }),
              "parallel_for: the bound -9223372036854775808 is not allowed; at least 0, at most "
              "18446744073709551615");
    EXPECT_EQ(refusal([&] {
                static_cast<void>(parallel_for(std::stop_token(), -1, std::size_t{10}, count));
              }),
              "parallel_for" + begins + "18446744073709551615");
    EXPECT_EQ(refusal([&] {
                static_cast<void>(parallel_reduce(
                    std::stop_token(), 10U, -1, 0, [](auto) { return 1; }, std::plus<>{}));
              }),
              "parallel_reduce" + begins + "4294967295");
    EXPECT_EQ(calls, 40);
  });
}

TEST(parallel_for_beside_a_stalled_worker, runs_all_other_pieces) {
  constexpr int n = 16;  // also the number of pieces
  // No rounds: tasks that a round sends to the stalled worker would wait for it in the link.
  runtime rt{{.workers = 2, .mode = balancer_mode::on_demand}};
  const test::deadline deadline{rt, std::chrono::seconds{240}};
  int stalls = 0;
  // Repeats until it has happened, because the operating system may keep the second worker from a
  // loop altogether.
  for (int repetition = 0; repetition < 20 || stalls == 0; ++repetition) {
    std::atomic<int> ended{0};
    std::atomic<bool> stalled{false};
    rt.run([&] {
      parallel_for(0, n,
                   [&](int) {
                     const auto until =
                         std::chrono::steady_clock::now() + std::chrono::microseconds(100);
                     while (std::chrono::steady_clock::now() < until) {
                     }
                     if (this_worker() == 1 && !stalled.exchange(true)) {
                       while (ended < n - 1) std::this_thread::yield();
                     }
                     ++ended;
                   },
                   {.grain = 1});
    });
    ASSERT_EQ(ended, n);
    stalls += stalled ? 1 : 0;
  }
}

/// Runs ten loops of ten iterations in each iteration of the loop above.
void nest(unsigned levels, std::atomic<int>& leaves) {
  if (levels == 0) {
    ++leaves;
  } else {
    parallel_for(0, 10, [&](int) { nest(levels - 1, leaves); });
  }
}

// A loop makes its pieces in batches, in which the buffer of the queue may come to its end. The
// other worker is busy, and without a balancer no round sends it tasks, which would wait until it
// is released. In a recording every push demands attention.
TEST(parallel_for_of_few_items, makes_its_pieces_where_a_buffer_ends) {
  runtime rt({.workers = 2, .balancer = "none"});
  const test::deadline deadline(rt);
  std::atomic<bool> busy{false};
  std::atomic<bool> released{false};
  rt.start_recording();
  task_group other(rt);
  other.spawn(
      [&] {
        busy = true;
        while (!released) std::this_thread::yield();
      },
      {.home = 1});
  while (!busy) std::this_thread::yield();
  for (std::uint32_t queued = 990; queued < 1030; ++queued) {
    std::uint32_t tasks = 0;
    std::vector<int> calls(64, 0);
    rt.run([&] {
      task_group group;
      for (std::uint32_t i = 0; i < queued; ++i) group.spawn([&] { ++tasks; });
      parallel_for(0, 64, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
      group.wait();
    });
    EXPECT_EQ(tasks, queued);
    EXPECT_EQ(calls, std::vector<int>(64, 1)) << queued;
  }
  released = true;
  other.wait();
  static_cast<void>(rt.stop_recording());
}

// While no worker asks for work, the loops at the top have their ten pieces each, and the loops
// below have none.
TEST(nested_parallel_for, makes_tasks_at_its_top_alone) {
  runtime rt{{.workers = 2, .mode = balancer_mode::on_demand, .pulls = false}};
  const test::deadline deadline{rt};
  const auto executed = [&] {
    const statistics now = rt.stats();
    return now.workers[0].executed + now.workers[1].executed;
  };
  std::atomic<bool> over{false};
  std::atomic<bool> begun{false};
  future<void> busy = rt.async([&] {
    begun = true;
    while (!over) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  std::atomic<int> leaves{0};
  rt.run([&] {
    const auto before = executed();
    nest(4, leaves);
    EXPECT_LE(executed() - before, 9U + 10 * 9) << rt.describe();
  });
  over = true;
  busy.wait();
  EXPECT_EQ(leaves, 10'000);
}

INSTANTIATE_TEST_SUITE_P(on, loops, testing::Values(1, 2, 3, 5, 8, 16, 64),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

TEST(parallel_reduce_outside, is_refused_outside_of_tasks) {
  EXPECT_THROW(
      static_cast<void>(parallel_reduce(0, 3, 0, [](int i) { return i; }, std::plus<>{})), error);
}

}  // namespace
}  // namespace evencube::loop_test
