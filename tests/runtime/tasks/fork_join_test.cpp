#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <evencube/evencube.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "deadline.hpp"

namespace evencube::fork_join_test {
namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

class fork_join_on : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

TEST_P(fork_join_on, computes_fib) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rt_.run([] { return fib(22); }), 17711);
}

TEST_P(fork_join_on, returns_results_of_any_type) {
  rt_.run([] {
    const auto result =
        fork_join([] { return std::string("left"); }, [] { return std::make_unique<int>(7); });
    EXPECT_EQ(result.first, "left");
    EXPECT_EQ(*result.second, 7);
    const auto mixed = fork_join([] {}, [] { return 3; });
    EXPECT_EQ(mixed.second, 3);
  });
}

TEST_P(fork_join_on, throws_what_the_right_half_threw) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> left{false};
    EXPECT_THROW(rt_.run([&] {
      fork_join([&] { left = true; }, [] { throw std::runtime_error("right"); });
    }),
                 std::runtime_error);
    EXPECT_TRUE(left);
  }
}

TEST_P(fork_join_on, throws_what_the_left_half_threw_after_the_right_one_ended) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> inside{0};
    try {
      rt_.run([&] {
        fork_join([] { throw std::runtime_error("left"); },
                  [&] {
                    ++inside;
                    fib(8);
                    --inside;
                  });
      });
      FAIL() << "nothing thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "left");
    }
    EXPECT_EQ(inside, 0);
  }
}

// Every level of the tree throws at some leaf; no leaf is lost, and the queues end up empty.
long fragile(int n, std::atomic<long>& leaves) {
  if (n == 0) {
    if (++leaves % 97 == 0) throw std::runtime_error("leaf");
    return 1;
  }
  const auto [a, b] = fork_join([&, n] { return fragile(n - 1, leaves); },
                                [&, n] { return fragile(n - 1, leaves); });
  return a + b;
}

TEST_P(fork_join_on, survives_exceptions_at_every_level) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<long> leaves{0};
    EXPECT_THROW(rt_.run([&] { return fragile(10, leaves); }), std::runtime_error);
  }
  EXPECT_EQ(rt_.run([] { return fib(15); }), 610);
}

INSTANTIATE_TEST_SUITE_P(workers, fork_join_on, testing::ValuesIn(test::worker_counts));

TEST(fork_join_outside, is_refused) {
  EXPECT_THROW(fork_join([] {}, [] {}), error);
  EXPECT_THROW(parallel_for(0, 3, [](int) {}), error);
  EXPECT_THROW(static_cast<void>(this_worker()), error);
}

/// Calls `innermost` below `depth` forks whose right halves call `right`.
template <typename Right, typename Innermost>
void below_forks(int depth, const Right& right, const Innermost& innermost) {
  if (depth == 0) {
    innermost();
    return;
  }
  fork_join([&] { below_forks(depth - 1, right, innermost); }, right);
}

// The oldest fork is half of the work, so a worker that comes for work gets only that fork, by a
// round or by a pull.
class forks_in_a_queue : public testing::TestWithParam<bool> {};

TEST_P(forks_in_a_queue, move_one_at_a_time) {
  const bool by_a_round = GetParam();
  runtime rt{{.workers = 2, .mode = balancer_mode::on_demand}};
  const test::deadline deadline{rt};
  std::atomic<bool> waiting{false};
  std::atomic<bool> queued{false};
  std::atomic<bool> taken{false};
  std::atomic<bool> seen{false};
  rt.run([&] {
    task_group gate;
    gate.spawn(
        [&] {
          waiting = true;
          while (!queued) std::this_thread::yield();
        },
        {.home = 1});
    while (!waiting) std::this_thread::yield();
    rt.reset_stats();
    below_forks(
        6,
        [&] {
          if (this_worker() == 0) return;
          taken = true;
          while (!seen) std::this_thread::yield();
        },
        [&] {
          if (by_a_round) {
            EXPECT_TRUE(rt.balance());
          }
          queued = true;
          while (!taken) std::this_thread::yield();
          EXPECT_EQ(rt.stats().tasks_moved, 1U);
          seen = true;
        });
    gate.wait();
  });
}

INSTANTIATE_TEST_SUITE_P(by, forks_in_a_queue, testing::Bool(),
                         [](const auto& c) { return c.param ? "a_round" : "a_pull"; });

}  // namespace
}  // namespace evencube::fork_join_test
