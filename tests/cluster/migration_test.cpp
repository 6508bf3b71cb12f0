// What balancing does to ranks: exactly what the planner says while they are held, and no task lost
// while they are not.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <evencube/balancers/plan_tools.hpp>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

// Ranks, balancer, transmission, cases.
using held_case = std::tuple<unsigned, std::string, std::string, int>;

class held_ranks_with : public testing::TestWithParam<held_case> {};

TEST_P(held_ranks_with, hold_what_the_planner_says) {
  const auto& [ranks, balancer, transmission, cases] = GetParam();
  cluster_options options = small_ranks(balancer);
  options.transmission = transmission;
  // Whatever a task takes to run, it may move.
  options.bytes_per_second = std::numeric_limits<double>::infinity();
  const topology cube = topology::cube(ranks);
  const auto planner = make_balancer(balancer);
  std::atomic<long> ran{0};
  std::atomic<long> spawned{0};
  on_ranks(ranks, {.seed = ranks, .most_delay = 2}, options, [&](cluster& world) {
    auto count = world.task<int, void>("count", [&](int) { ++ran; });
    std::mt19937_64 random(ranks);
    for (int i = 0; i < cases; ++i) {
      cluster_group jobs(world);
      {
        cluster_hold still(world);
        // All ranks draw the same.
        std::vector<load_type> loads(ranks);
        const int most = std::uniform_int_distribution<int>(0, 40)(random);
        for (load_type& each : loads) each = std::uniform_int_distribution<int>(0, most)(random);
        for (load_type j = 0; j < loads[world.rank()]; ++j) {
          jobs.spawn(count, i);
          ++spawned;
        }
        ASSERT_EQ(still.loads(), loads) << "case " << i;
        const balancing_round round = still.balance();
        ASSERT_EQ(round.loads, loads) << "case " << i;
        plan expected;
        planner->make_plan({.graph = cube, .loads = loads, .seed = round.seed}, expected);
        ASSERT_EQ(round.planned, expected) << "case " << i;
        ASSERT_EQ(still.loads(), final_loads(expected, loads)) << "case " << i;
      }
      jobs.wait();
    }
  });
  EXPECT_EQ(ran, spawned);
}

INSTANTIATE_TEST_SUITE_P(
    rounds, held_ranks_with,
    testing::Values(held_case{2, "oem", "direct", 200}, held_case{3, "oem", "direct", 200},
                    held_case{4, "dem", "direct", 200}, held_case{5, "oem", "phased", 100},
                    held_case{8, "oem", "direct", 100}, held_case{8, "dem", "phased", 100},
                    held_case{8, "cwa", "overlapped", 50}, held_case{4, "diffusion", "direct", 50},
                    held_case{4, "hybrid", "pipelined", 50}, held_case{4, "rotate", "phased", 50},
                    held_case{5, "locality", "direct", 50}, held_case{8, "gradient", "direct", 50},
                    held_case{4, "random", "direct", 50}, held_case{16, "oem", "direct", 50},
                    held_case{1, "oem", "direct", 20}),
    [](const auto& c) {
      return std::get<1>(c.param) + "_" + std::get<2>(c.param) + "_" +
             std::to_string(std::get<0>(c.param));
    });

// Tasks that are dearer than what is left of a transfer stay; none is lost.
TEST(held_ranks, keep_dear_tasks_that_do_not_fit) {
  on_ranks(2, {}, small_ranks("oem"), [](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (world.rank() == 0) {
        for (const std::uint32_t cost : {7U, 2U, 9U, 2U}) jobs.spawn(nothing, 1, {.cost = cost});
      }
      ASSERT_EQ(still.loads(), (std::vector<load_type>{20, 0}));
      static_cast<void>(still.balance());
      // Half is 10: of the oldest first 7 and 2 fit, 9 and the other 2 do not.
      ASSERT_EQ(still.loads(), (std::vector<load_type>{11, 9}));
    }
    jobs.wait();
  });
}

TEST(held_ranks, keep_tasks_that_are_not_worth_their_way) {
  cluster_options options = small_ranks("oem");
  options.bytes_per_second = 1;  // a byte takes longer than any task of this test
  std::vector<std::atomic<bool>> has_run(2);
  on_ranks(2, {}, options, [&](cluster& world) {
    auto sum = world.task<std::vector<int>, void>("sum", [](const std::vector<int>&) {});
    // What is not known yet moves; until each rank has run one of its own, however often that is
    // elsewhere. Holds, for all ranks are to see the same.
    for (bool all = false; !all;) {
      cluster_group first(world);
      first.spawn(sum, std::vector<int>(1));
      first.wait();
      has_run[world.rank()] = world.stats().executed > 0;
      const cluster_hold still(world);
      all = has_run[0] && has_run[1];
    }
    cluster_group jobs(world);
    {
      cluster_hold still(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 10; ++i) jobs.spawn(sum, std::vector<int>(1000));
      }
      const cluster_statistics before = world.stats();
      static_cast<void>(still.balance());
      const cluster_statistics after = world.stats();
      ASSERT_EQ(still.loads(), (std::vector<load_type>{10, 0}));
      EXPECT_EQ(after.tasks_sent, before.tasks_sent);
      EXPECT_EQ(after.tasks_too_large_to_move - before.tasks_too_large_to_move,
                world.rank() == 0 ? 5U : 0U);
    }
    jobs.wait();
  });
}

// Programs drawn at random: trees of tasks that begin and are sent anywhere, of any cost, while
// ranks balance. Every task runs once and its result comes home once.
TEST(moving_ranks, run_every_task_of_random_programs_once) {
  const std::vector<std::string> balancers{"oem",  "dem",       "cwa",    "random_stealing",
                                           "none", "diffusion", "rotate", "receiver_initiated"};
  for (const unsigned ranks : {1U, 2U, 3U, 5U, 8U, 16U}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      struct node {
        std::uint32_t id = 0;
        std::uint32_t depth = 0;
        std::uint64_t seed = 0;
      };
      std::vector<std::atomic<int>> ran(1 << 16);
      std::vector<std::atomic<int>> came(1 << 16);
      std::atomic<std::uint32_t> ids{0};
      cluster_options options =
          small_ranks(balancers[seed % balancers.size()], 1 + static_cast<unsigned>(seed % 2));
      options.transmission = seed % 3 == 0 ? "phased" : "direct";
      on_ranks(ranks, {.seed = seed, .most_delay = static_cast<unsigned>(seed) * 3}, options,
               [&](cluster& world) {
                 cluster_task<node, std::uint32_t> visit;
                 visit = world.task<node, std::uint32_t>(
                     "visit", [&](cluster_context& here, const node& at) {
                       ++ran[at.id];
                       std::mt19937_64 random(at.seed);
                       const auto children = at.depth == 0 ? 0 : random() % 4;
                       for (std::uint64_t c = 0; c < children; ++c) {
                         cluster_spawn_options how;
                         how.cost = 1 + static_cast<std::uint32_t>(random() % 5);
                         if (random() % 4 == 0) {
                           how.rank = static_cast<unsigned>(random() % here.size());
                         }
                         here.spawn(visit, {ids++, at.depth - 1, random()}, how);
                       }
                       return at.id;
                     });
                 for (int groups = 0; groups < 3; ++groups) {
                   cluster_group jobs(world);
                   std::mt19937_64 random(seed * 100 + world.rank() +
                                          static_cast<unsigned>(groups) * 17);
                   for (auto roots = random() % 3; roots > 0; --roots) {
                     jobs.spawn(visit, {ids++, 6, random()});
                   }
                   jobs.wait([&](const node& at, std::uint32_t result) {
                     EXPECT_EQ(at.id, result);
                     ++came[result];
                   });
                 }
               });
      ASSERT_LT(ids, ran.size());
      for (std::uint32_t id = 0; id < ran.size(); ++id) {
        ASSERT_EQ(ran[id], id < ids ? 1 : 0) << ranks << " ranks, seed " << seed << ", task " << id;
        ASSERT_EQ(came[id], id < ids ? 1 : 0) << ranks << " ranks, seed " << seed;
      }
    }
  }
}

// Tasks that wait for others on other ranks to begin: they end only if work moves.
TEST(moving_ranks, get_work_while_another_rank_has_more) {
  for (const std::string balancer : {"oem", "random_stealing"}) {
    std::atomic<int> begun{0};
    on_ranks(4, {.seed = 9, .most_delay = 2}, small_ranks(balancer), [&](cluster& world) {
      auto meet = world.task<int, unsigned>("meet", [&](cluster_context& here, int) {
        ++begun;
        while (begun < 4) std::this_thread::yield();
        return here.rank();
      });
      cluster_group jobs(world);
      if (world.rank() == 0) {
        for (int i = 0; i < 4; ++i) jobs.spawn(meet, i);
      }
      unsigned ranks = 0;
      jobs.wait([&](int, unsigned ran) { ranks |= 1U << ran; });
      if (world.rank() == 0) {
        EXPECT_EQ(ranks, 15U) << balancer;
      }
    });
  }
}

}  // namespace
}  // namespace evencube
