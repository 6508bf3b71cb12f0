// What cluster_hold promises (H in cluster/docs/ranks.md), however late messages are, and whoever
// loses its turn where.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/late_clock.hpp"
#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Takes long to write, so that a hold may come while it is written.
struct slow_to_write {
  std::string text;

  template <typename Archive>
  void save(Archive& archive) const {
    spin(std::chrono::microseconds(20));
    archive(text);
  }
  template <typename Archive>
  void load(Archive& archive) {
    archive(text);
  }
};

load_type sum_of(const std::vector<load_type>& loads) {
  return std::accumulate(loads.begin(), loads.end(), load_type{0});
}

class holds_of : public testing::TestWithParam<unsigned> {};

// Spawned under a hold: a round that had been begun just before would move it.
TEST_P(holds_of, move_nothing_of_themselves) {
  const unsigned ranks = GetParam();
  on_ranks(ranks, {.seed = ranks, .most_delay = 2}, small_ranks("oem"), [&](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    std::mt19937_64 random(ranks);  // the same on all ranks
    for (int i = 0; i < 40; ++i) {
      cluster_group jobs(world);
      {
        cluster_hold still(world);
        std::vector<load_type> loads(ranks);
        for (load_type& each : loads) each = std::uniform_int_distribution<int>(0, 9)(random);
        for (load_type j = 0; j < loads[world.rank()]; ++j) jobs.spawn(nothing, i);
        ASSERT_EQ(still.loads(), loads) << "case " << i;
        ASSERT_EQ(still.loads(), loads) << "case " << i;
      }
      jobs.wait();
    }
  });
}

// While tasks run, are moved and stolen, and results go home: each is somewhere, or has run.
TEST_P(holds_of, find_every_task_that_has_not_run) {
  const unsigned ranks = GetParam();
  for (const std::string balancer : {"oem", "lifelines", "random_stealing"}) {
    std::atomic<load_type> ran{0};
    on_ranks(ranks, {.seed = ranks, .most_delay = 3}, small_ranks(balancer), [&](cluster& world) {
      auto count = world.task<slow_to_write, void>("count", [&](const slow_to_write&) {
        spin(std::chrono::microseconds(20));
        ++ran;
      });
      load_type spawned = 0;
      for (unsigned i = 0; i < 3; ++i) {
        cluster_group jobs(world);
        // One rank has all; some of it is sent to where it is to run.
        if (world.rank() == i % ranks) {
          for (unsigned j = 0; j < 300; ++j) {
            cluster_spawn_options how;
            if (j % 8 == 0) how.rank = j % ranks;
            jobs.spawn(count, {std::to_string(j)}, how);
          }
        }
        spawned += 300;
        for (int repeat = 0; repeat < 8; ++repeat) {
          cluster_hold still(world);
          const std::vector<load_type> loads = still.loads();
          const load_type ran_before = ran;
          ASSERT_EQ(sum_of(loads) + ran_before, spawned) << balancer << ", group " << i;
          for (int again = 0; again < 3; ++again) {
            ASSERT_EQ(still.loads(), loads) << balancer << ", group " << i;
          }
          ASSERT_EQ(ran, ran_before) << balancer << ", group " << i;
          // No rank goes on while another compares.
          static_cast<void>(still.loads());
        }
        jobs.wait();
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(ranks, holds_of, testing::Values(1U, 2U, 3U, 4U, 8U, 16U));

/// Its rank's progress thread, which alone polls, is one of those that may be late.
class late_transport final : public test::forwarding_transport {
 public:
  using forwarding_transport::forwarding_transport;

  void open() override { test::late_clock::be_late(); }
};

// Rank 0's progress thread loses its turn when it looks whether it is time for a round; there it is
// while the hold is made, and then finds that it is time.
TEST(holds, let_no_round_begin_that_was_decided_before) {
  for (const unsigned ranks : {2U, 4U}) {
    const test::rank_deadline deadline("a late round");
    local_network between(ranks);
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < ranks; ++k) {
      threads.emplace_back([&, k] {
        std::unique_ptr<transport> over = between.at(k);
        if (k == 0) over = std::make_unique<late_transport>(std::move(over));
        cluster world(std::move(over), small_ranks("oem"));
        auto work = world.task<int, void>("work", [](int) { spin(std::chrono::microseconds(20)); });
        for (int i = 0; i < 20; ++i) {
          cluster_group jobs(world);
          // Rounds are of use: most ranks have nothing.
          for (int j = 0; k == 0 && j < 100; ++j) jobs.spawn(work, j);
          if (k == 0) {
            test::late_clock::somebody_waits = false;
            test::late_clock::closed = true;
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
            while (!test::late_clock::somebody_waits && std::chrono::steady_clock::now() < end)
              continue;
          }
          {
            cluster_hold still(world);
            const std::vector<load_type> loads = still.loads();
            for (int again = 0; again < 3; ++again)
              ASSERT_EQ(still.loads(), loads) << "group " << i;
          }
          if (k == 0) test::late_clock::closed = false;
          jobs.wait();
        }
      });
    }
    for (std::thread& each : threads) each.join();
  }
}

}  // namespace
}  // namespace evencube
