#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/options.hpp>
#include <evencube/evencube.hpp>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

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

std::uint64_t hops(const runtime& rt) {
  const auto by_dimension = rt.stats().moved_by_rounds;
  return std::accumulate(by_dimension.begin(), by_dimension.end(), std::uint64_t{0});
}

// The paper's three approaches: steps along the line in two orders, and directly. All leave the
// same queues. A step crosses one link, so the steps make as many moves as tasks cross links.
TEST_P(order, is_kept_by_every_step_of_every_approach) {
  const unsigned workers = GetParam();
  std::vector<std::vector<std::vector<load_type>>> left;
  const std::vector<const char*> ways{"direct", "phased", "overlapped", "pipelined", "pipelined:3"};
  for (const auto movement :
       {line_movement::together, line_movement::concatenated, line_movement::by_distance}) {
    for (const char* const way : ways) {
      runtime rt({.workers = workers,
                  .balancer = balancers::locality{.movement = movement},
                  .transmission = way,
                  .mode = balancer_mode::on_demand});
      const test::deadline deadline(rt);
      std::mt19937_64 random(workers);
      auto& ends = left.emplace_back();
      for (int i = 0; i < 10; ++i) {
        const bool alike = i % 2 == 0;
        std::atomic<int> ran{0};
        int spawned = 0;
        task_group group(rt);
        {
          hold_guard still = rt.hold();
          for (unsigned k = 0; k < workers; ++k) {
            const int n = std::uniform_int_distribution<int>(0, k % 3 == 0 ? 60 : 5)(random);
            for (int j = 0; j < n; ++j, ++spawned) {
              const auto cost = static_cast<std::uint32_t>(alike ? 2 : 1 + random() % 9);
              group.spawn([&ran] { ++ran; }, {.cost = cost, .home = k});
            }
          }
          const auto loads = still.loads();
          const auto before = along_the_line(rt, still);
          const std::uint64_t hops_before = hops(rt);
          static_cast<void>(still.balance());
          EXPECT_EQ(along_the_line(rt, still), before) << way << ", case " << i;
          ends.push_back(still.loads());
          if (!alike) continue;
          load_type direct = 0;
          load_type crossing = 0;
          load_type links = 0;
          for (const node_id k : locality_line(rt.topology())) {
            direct += std::max<load_type>(ends.back()[k] - loads[k], 0);
            crossing += loads[k] - ends.back()[k];
            links += std::abs(crossing);
          }
          const auto made = static_cast<load_type>(hops(rt) - hops_before);
          if (way == ways.front()) {
            EXPECT_GE(2 * made, direct) << "case " << i;
            EXPECT_LE(2 * made, links) << "case " << i;
          } else {
            EXPECT_EQ(2 * made, links) << way << ", case " << i;
          }
        }
        group.wait();
        EXPECT_EQ(ran, spawned);
      }
    }
  }
  for (const auto& ends : left) EXPECT_EQ(ends, left.front());
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
