#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <evencube/balancers/locality.hpp>
#include <evencube/evencube.hpp>
#include <random>
#include <thread>

#include "deadline.hpp"

// The locality-preserving shift on real threads: rounds never change the order in which tasks stand
// along the line of workers.

namespace evencube::order_test {
namespace {

std::vector<const void*> along_the_line(const runtime& rt, const hold_guard& still) {
  const auto queues = still.tasks();
  std::vector<const void*> order;
  for (const node_id k : locality_line(rt.topology())) {
    order.insert(order.end(), queues[k].begin(), queues[k].end());
  }
  return order;
}

class order : public testing::TestWithParam<unsigned> {};

TEST_P(order, is_kept_by_rounds_over_random_queues) {
  const unsigned workers = GetParam();
  runtime rt({.workers = workers, .balancer = "locality", .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  std::mt19937_64 random(workers);
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ran{0};
    int spawned = 0;
    task_group group(rt);
    {
      hold_guard still = rt.hold();
      for (unsigned k = 0; k < workers; ++k) {
        const int n = std::uniform_int_distribution<int>(0, k % 3 == 0 ? 60 : 5)(random);
        for (int j = 0; j < n; ++j, ++spawned) group.spawn([&ran] { ++ran; }, {.home = k});
      }
      const auto before = along_the_line(rt, still);
      ASSERT_EQ(before.size(), static_cast<std::size_t>(spawned));
      static_cast<void>(still.balance());
      EXPECT_EQ(along_the_line(rt, still), before) << "case " << i;
      const auto loads = still.loads();
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      EXPECT_LE(*most - *least, 1);
    }
    group.wait();
    EXPECT_EQ(ran, spawned);
  }
}

// A loop under way: a round leaves the chunks that wait in their order along the line, and every
// iteration happens once.
TEST_P(order, of_a_loops_chunks_is_kept_while_it_runs) {
  const unsigned workers = GetParam();
  runtime rt({.workers = workers, .balancer = "locality"});
  const test::deadline deadline(rt);
  constexpr int count = 20'000;
  std::size_t seen = 0;
  do {
    std::vector<std::atomic<int>> times(count);
    std::atomic<bool> ended{false};
    std::thread program([&] {
      rt.run([&] {
        parallel_for(0, count,
                     [&](int i) {
                       ++times[static_cast<std::size_t>(i)];
                       const auto end =
                           std::chrono::steady_clock::now() + std::chrono::microseconds{5};
                       while (std::chrono::steady_clock::now() < end) {
                       }
                     },
                     {.grain = 16});
      });
      ended = true;
    });
    while (!ended) {
      hold_guard still = rt.hold();
      const auto before = along_the_line(rt, still);
      seen = std::max(seen, before.size());
      static_cast<void>(still.balance());
      EXPECT_EQ(along_the_line(rt, still), before);
    }
    program.join();
    for (const auto& n : times) EXPECT_EQ(n, 1);
    // Until a chunk has waited: this thread may be kept from looking while any does.
  } while (workers > 1 && seen == 0);
}

INSTANTIATE_TEST_SUITE_P(on, order, testing::Values(1, 2, 3, 5, 8, 16, 64),
                         [](const auto& c) { return "cube_of_" + std::to_string(c.param); });

}  // namespace
}  // namespace evencube::order_test
