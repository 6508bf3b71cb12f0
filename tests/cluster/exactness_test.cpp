// Under a hold, ranks do exactly what the planner says, whichever rank plans, and the rest is
// within the bounds of cluster/docs/bound.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/support.hpp"
#include "runtime/repetitions.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

/// Options under which every task may move, whatever time it takes.
cluster_options movers(const std::string& balancer, const std::string& transmission,
                       unsigned workers = 1) {
  cluster_options options = small_ranks(balancer, workers);
  options.transmission = transmission;
  options.bytes_per_second = std::numeric_limits<double>::infinity();
  return options;
}

/// Draws loads: even, uneven, or all on a few ranks.
std::vector<load_type> drawn_loads(unsigned ranks, std::mt19937_64& random) {
  const int most = std::uniform_int_distribution<int>(0, 30)(random);
  const int chance = std::uniform_int_distribution<int>(1, 4)(random);
  std::vector<load_type> loads(ranks);
  for (load_type& each : loads) {
    if (std::uniform_int_distribution<int>(1, 4)(random) <= chance) {
      each = std::uniform_int_distribution<int>(0, most)(random);
    }
  }
  return loads;
}

/// The bound with two levels: the largest difference between two workers of ranks with `workers`
/// workers each, whose loads differ by at most `difference`.
load_type two_level_bound(load_type difference, load_type workers) {
  if (difference == 0) return workers > 1 ? 1 : 0;
  return 1 + (difference - 1 + workers - 1) / workers;
}

/// Runs cases in sequence on the same ranks. The loads of a case are the rest of the case before,
/// and some more.
void compare_with_planner(unsigned ranks, const std::string& balancer,
                          const std::string& transmission, int cases) {
  const topology cube = topology::cube(ranks);
  const auto planner = make_balancer(balancer);
  const balancer_descriptor about = describe_balancer(balancer);
  const balancer_options defaults = complete_options(about, {});
  std::atomic<long> ran{0};
  std::atomic<long> spawned{0};
  const local_network::options network{.seed = ranks, .most_delay = 1};
  on_ranks(ranks, network, movers(balancer, transmission), [&](cluster& world) {
    auto count = world.task<int, void>("count", [&](int) { ++ran; });
    std::mt19937_64 random(ranks);  // all ranks draw the same numbers
    for (int i = 0; i < cases;) {
      cluster_group jobs(world);
      {
        cluster_hold still(world);
        std::vector<load_type> loads(ranks);
        for (int more = 0; more < 50 && i < cases; ++more, ++i) {
          const std::vector<load_type> added = drawn_loads(ranks, random);
          for (unsigned k = 0; k < ranks; ++k) loads[k] += added[k];
          for (load_type j = 0; j < added[world.rank()]; ++j) {
            jobs.spawn(count, i);
            ++spawned;
          }
          const balancing_round round = still.balance();
          // The loads of the ranks are the expected rest of the round before, and the new tasks.
          ASSERT_EQ(round.loads, loads) << balancer << ", case " << i;
          plan expected;
          const balance_request request{.graph = cube, .loads = loads, .seed = round.seed};
          planner->make_plan(request, expected);
          ASSERT_EQ(round.planned, expected) << balancer << ", case " << i;
          const auto promised = about.guarantees.difference
                                    ? about.guarantees.difference(request, defaults)
                                    : std::nullopt;
          loads = final_loads(expected, loads);
          if (!promised) continue;
          for (const load_type workers : {1, 2, 3, 4}) {
            const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
            ASSERT_LE((*most + workers - 1) / workers - *least / workers,
                      two_level_bound(*promised, workers));
          }
        }
        ASSERT_EQ(still.loads(), loads) << balancer;
      }
      jobs.wait();
    }
  });
  EXPECT_EQ(ran, spawned);
}

class exactness_of : public testing::TestWithParam<unsigned> {};

/// Runs rounds by all balancers, about test::repetitions(1000) in all.
TEST_P(exactness_of, rounds_of_all_balancers) {
  const std::vector<balancer_descriptor> all = registered_balancers();
  const int each = test::repetitions(1000) / static_cast<int>(all.size()) + 1;
  for (const balancer_descriptor& about : all) {
    compare_with_planner(GetParam(), about.name, "direct", each);
  }
}

TEST_P(exactness_of, rounds_of_the_exchange) {
  compare_with_planner(GetParam(), "oem", "direct", test::repetitions(250));
}

TEST_P(exactness_of, all_transmissions) {
  for (const transmission how : all_transmissions) {
    for (const std::string balancer : {"oem", "cwa", "diffusion", "rotate"}) {
      compare_with_planner(GetParam(), balancer, std::string(to_string(how)),
                           test::repetitions(10));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ranks, exactness_of, testing::Values(1U, 2U, 3U, 4U, 5U, 8U, 16U));

// A transfer of x quanta by tasks of at most c quanta moves more than x - c and at most x quanta.
TEST(bounds, hold_for_dear_tasks) {
  constexpr std::uint32_t dearest = 9;
  for (const unsigned ranks : {2U, 4U, 5U, 8U}) {
    const topology cube = topology::cube(ranks);
    on_ranks(ranks, {.seed = 1}, movers("oem", "direct"), [&](cluster& world) {
      auto nothing = world.task<int, void>("nothing", [](int) {});
      std::mt19937_64 random(world.rank());
      for (int i = 0; i < 30; ++i) {
        cluster_group jobs(world);
        {
          cluster_hold still(world);
          const auto tasks = std::uniform_int_distribution<int>(0, 30)(random);
          for (int j = 0; j < tasks; ++j) {
            jobs.spawn(nothing, i,
                       {.cost = std::uniform_int_distribution<std::uint32_t>(1, dearest)(random)});
          }
          const balancing_round round = still.balance();
          const std::vector<load_type> left = still.loads();
          const std::vector<load_type> meant = final_loads(round.planned, round.loads);
          const plan sent =
              plan_of(make_schedule(transmission::direct, round.loads, round.planned));
          for (node_id k = 0; k < ranks; ++k) {
            load_type may_miss = 0;
            load_type may_keep = 0;
            for (const phase& p : sent.phases) {
              for (const transfer& t : p) {
                may_miss += t.to == k ? dearest - 1 : 0;
                may_keep += t.from == k ? dearest - 1 : 0;
              }
            }
            ASSERT_GE(left[k], meant[k] - may_miss) << ranks << " ranks, case " << i;
            ASSERT_LE(left[k], meant[k] + may_keep) << ranks << " ranks, case " << i;
          }
        }
        jobs.wait();
      }
    });
  }
}

// The second level: while tasks wait, no worker of their rank does, so n tasks of one quantum take
// w workers ceil(n / w) steps. A task ends only when enough tasks have begun for every worker to
// have one, so the test ends only if all workers have one.
TEST(bounds, hold_for_workers_of_a_rank) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    std::vector<std::atomic<unsigned>> begun(2);
    on_ranks(2, {}, movers("none", "direct", workers), [&](cluster& world) {
      const auto tasks = [](unsigned rank) { return 7 + rank; };
      auto meet = world.task<int, void>("meet", [&](cluster_context& here, int) {
        std::atomic<unsigned>& mine = begun[here.rank()];
        const unsigned own = mine++;
        const unsigned step_ends = std::min(tasks(here.rank()), (own / workers + 1) * workers);
        while (mine < step_ends) std::this_thread::yield();
      });
      cluster_group jobs(world);
      for (unsigned i = 0; i < tasks(world.rank()); ++i) jobs.spawn(meet, 0);
      jobs.wait();
      EXPECT_EQ(begun[world.rank()], tasks(world.rank()));
    });
  }
}

}  // namespace
}  // namespace evencube
