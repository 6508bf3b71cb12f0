// The balancer `matching`: its rounds are matchings, its coins are fair, and loads end within 3.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace evencube {
namespace {

plan planned(const topology& graph, const std::vector<load_type>& loads,
             const matching_options& options, std::uint64_t seed = 0) {
  plan made;
  make_balancer(options)->make_plan({.graph = graph, .loads = loads, .seed = seed}, made);
  validate_plan(graph, loads, made);
  return made;
}

std::vector<load_type> all_on(node_id one, const topology& graph, load_type total) {
  std::vector<load_type> loads(graph.nodes(), 0);
  loads[one] = total;
  return loads;
}

/// The load of every node is so large that a pair without a transfer is rare.
std::vector<load_type> uneven(const topology& graph) {
  std::vector<load_type> loads;
  for (node_id k = 0; k < graph.nodes(); ++k) loads.push_back((k * 7919 + 13) % 100003);
  return loads;
}

TEST(matching, gives_every_node_one_partner_at_most_in_a_round) {
  for (const char* const network : {"hypercube:5", "cube:11", "torus:5x7", "star:9", "fibonacci:8",
                                    "complete:10", "edges:0-1,1-2,2-0,2-3"}) {
    const topology graph = topology::parse(network);
    for (const auto pairs : {matching_pairs::random, matching_pairs::circuit}) {
      const plan made = planned(graph, uneven(graph), {.pairs = pairs, .rounds = 200});
      EXPECT_FALSE(made.phases.empty()) << network;
      for (const phase& moves : made.phases) {
        std::set<node_id> met;
        for (const transfer& t : moves) {
          EXPECT_TRUE(met.insert(t.from).second) << network;
          EXPECT_TRUE(met.insert(t.to).second) << network;
        }
      }
    }
  }
}

TEST(matching, meets_every_link_at_random) {
  const topology graph = topology::parse("edges:0-1,1-2,2-0,2-3,3-4");
  std::map<std::pair<node_id, node_id>, int> meetings;
  constexpr int draws = 4000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const plan made = planned(graph, {0, 1000, 100000, 20000, 7}, {.rounds = 1}, seed);
    if (made.phases.empty()) continue;
    for (const transfer& t : made.phases.front()) ++meetings[std::minmax(t.from, t.to)];
  }
  ASSERT_EQ(meetings.size(), graph.edges());
  // One end offers itself and picks this link, and the other one accepts, perhaps another offer.
  for (const auto& [link, count] : meetings) {
    const auto degree = std::max(graph.degree(link.first), graph.degree(link.second));
    EXPECT_GT(count, draws / 6 / static_cast<int>(degree)) << link.first << "-" << link.second;
  }
}

// The centre of a star gets several offers in most rounds.
TEST(matching, takes_any_of_several_offers_with_the_same_probability) {
  const topology star = topology::parse("star:9");
  std::vector<int> met(star.nodes());
  constexpr int draws = 8000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const plan made = planned(star, {0, 9, 9, 9, 9, 9, 9, 9, 9}, {.rounds = 1}, seed);
    if (made.phases.empty()) continue;
    for (const transfer& t : made.phases.front()) ++met[t.from];
  }
  const int all = std::accumulate(met.begin(), met.end(), 0);
  EXPECT_GT(all, draws / 3);
  // Five standard deviations of a leaf's share.
  for (node_id leaf = 1; leaf < star.nodes(); ++leaf) EXPECT_NEAR(met[leaf], all / 8, 150) << leaf;
}

// A single unit goes along each link that it meets with a probability of one half.
TEST(matching, meets_every_link_in_turn) {
  for (const char* const network :
       {"hypercube:4", "cube:11", "torus:5x7", "star:9", "complete:7", "edges:0-1,1-2,2-0,2-3"}) {
    const topology graph = topology::parse(network);
    std::set<std::pair<node_id, node_id>> met;
    for (node_id k = 0; k < graph.nodes(); ++k) {
      const plan made = planned(graph, all_on(k, graph, 1),
                                {.pairs = matching_pairs::circuit, .rounds = 1000, .target = 0}, k);
      for (const phase& moves : made.phases) {
        for (const transfer& t : moves) met.insert(std::minmax(t.from, t.to));
      }
    }
    EXPECT_EQ(met.size(), graph.edges()) << network;
  }
}

// One round through the dimensions in which the more loaded one keeps the odd unit is a sweep of
// dimension exchange.
TEST(matching, is_dimension_exchange_where_the_circuit_is_that_of_a_cube) {
  const topology cube = topology::hypercube(4);
  for (const auto& loads : {uneven(cube), all_on(5, cube, 1003)}) {
    plan sweep;
    make_balancer(dem_options{})->make_plan({.graph = cube, .loads = loads}, sweep);
    const plan made = planned(
        cube, loads,
        {.pairs = matching_pairs::circuit, .odd = matching_odd::larger, .rounds = 4, .target = 0});
    EXPECT_EQ(made, sweep);
  }
}

TEST(matching, gives_the_odd_unit_to_either_with_the_same_probability) {
  const topology pair = topology::linear(2);
  int moved = 0;
  constexpr int draws = 10000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const plan made =
        planned(pair, {8, 7}, {.pairs = matching_pairs::circuit, .rounds = 1, .target = 0}, seed);
    moved += static_cast<int>(transfer_count(made));
  }
  EXPECT_NEAR(moved, draws / 2, 250);  // five standard deviations
}

// The two ends of a link get odd units in turn, the more loaded one first.
TEST(matching, carries_the_error_of_every_link) {
  const topology line = topology::linear(3);
  const auto after = [&](std::int64_t rounds) {
    const std::vector<load_type> loads{7, 0, 0};
    return final_loads(planned(line, loads,
                               {.pairs = matching_pairs::circuit,
                                .odd = matching_odd::carried,
                                .rounds = rounds,
                                .target = 0}),
                       loads);
  };
  using loads = std::vector<load_type>;
  EXPECT_EQ(after(1), (loads{4, 3, 0}));
  EXPECT_EQ(after(2), (loads{4, 2, 1}));
  EXPECT_EQ(after(3), (loads{3, 3, 1}));
  EXPECT_EQ(after(4), (loads{3, 2, 2}));
  // Each link gives its second odd unit to the end that did not get the first.
  EXPECT_EQ(after(5), (loads{2, 3, 2}));
  EXPECT_EQ(after(6), (loads{2, 2, 3}));
  // Then no link carries an error, so the more loaded end gets the next odd unit.
  EXPECT_EQ(after(8), (loads{2, 2, 3}));
  EXPECT_EQ(after(10), (loads{2, 3, 2}));
}

// Errors that are carried move a line of steps, too.
TEST(matching, carried_errors_end_within_three_units) {
  const topology line = topology::linear(16);
  std::vector<load_type> steps(16);
  std::iota(steps.begin(), steps.end(), load_type{0});
  for (const auto pairs : {matching_pairs::random, matching_pairs::circuit}) {
    const plan made =
        planned(line, steps, {.pairs = pairs, .odd = matching_odd::carried, .rounds = 100000});
    EXPECT_LE(max_difference(final_loads(made, steps)), 3);
    EXPECT_EQ(made, planned(line, steps,
                            {.pairs = pairs, .odd = matching_odd::carried, .rounds = 100000}));
  }
}

// One sweep of DEM with coins; the circuit repeats such sweeps until the loads are near enough.
TEST(dem_with_coins, gives_the_odd_unit_to_either_and_needs_the_seed) {
  const balancer_options random{{"odd", "random"}};
  const auto after = [&](const topology& graph, const std::vector<load_type>& loads,
                         std::uint64_t seed) {
    plan made;
    make_balancer("dem", random)->make_plan({.graph = graph, .loads = loads, .seed = seed}, made);
    validate_plan(graph, loads, made);
    return final_loads(made, loads);
  };
  const topology pair = topology::hypercube(1);
  int lower = 0;
  constexpr int draws = 10000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const auto left = after(pair, {8, 7}, seed);
    EXPECT_EQ(left[0] + left[1], 15);
    lower += left[0] == 8 ? 1 : 0;
  }
  EXPECT_NEAR(lower, draws / 2, 250);  // five standard deviations
  // Loads a + popcount(k), at which DEM rests with a difference of d, are moved.
  const topology cube = topology::hypercube(8);
  std::vector<load_type> resting;
  for (node_id k = 0; k < cube.nodes(); ++k) resting.push_back(3 + std::popcount(k));
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    sum += static_cast<double>(max_difference(after(cube, resting, seed)));
  }
  EXPECT_LT(sum / 100, 4);
  EXPECT_EQ(after(cube, uneven(cube), 5), after(cube, uneven(cube), 5));
  EXPECT_NE(after(cube, uneven(cube), 5), after(cube, uneven(cube), 6));
  // Incomplete cubes, too, where the total leaves a rest.
  const topology part = topology::cube(11);
  auto rest = uneven(part);
  rest[0] += 5;
  std::set<std::vector<load_type>> results;
  for (std::uint64_t seed = 0; seed < 20; ++seed) results.insert(after(part, rest, seed));
  EXPECT_GT(results.size(), 1U);
}

TEST(matching, ends_within_three_units_on_every_network) {
  for (const char* const network :
       {"hypercube:7", "cube:100", "torus:8x9", "ring:24", "star:16", "complete:50"}) {
    const topology graph = topology::parse(network);
    for (const auto pairs : {matching_pairs::random, matching_pairs::circuit}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto loads = all_on(graph.nodes() / 2, graph, 1000 * graph.nodes() + 17);
        const plan made = planned(graph, loads, {.pairs = pairs, .rounds = 100000}, seed);
        EXPECT_LE(max_difference(final_loads(made, loads)), 3) << network << " seed " << seed;
      }
    }
  }
}

// Where the odd unit stays with the more loaded one, a line of steps is still: the reason for the
// coin.
TEST(matching, needs_the_coin) {
  const topology line = topology::linear(16);
  std::vector<load_type> steps(16);
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = static_cast<load_type>(k);
  const plan still = planned(line, steps, {.odd = matching_odd::larger, .rounds = 100000});
  EXPECT_EQ(max_difference(final_loads(still, steps)), 15);
  const plan made = planned(line, steps, {.rounds = 100000});
  EXPECT_LE(max_difference(final_loads(made, steps)), 3);
}

TEST(matching, stops_after_its_rounds_or_at_its_target) {
  const topology cube = topology::hypercube(6);
  const auto loads = all_on(0, cube, 6400);
  EXPECT_LE(planned(cube, loads, {.rounds = 5}).phases.size(), 5U);
  EXPECT_TRUE(planned(cube, std::vector<load_type>(64, 7), {}).phases.empty());
  const plan made = planned(cube, loads, {.rounds = 100000, .target = 50});
  EXPECT_LE(max_difference(final_loads(made, loads)), 50);
  plan shorter = made;
  shorter.phases.pop_back();
  EXPECT_GT(max_difference(final_loads(shorter, loads)), 50);
}

TEST(matching, refuses_what_it_cannot_do) {
  EXPECT_EQ(
      testing::refusal([] { static_cast<void>(make_balancer(matching_options{.rounds = 0})); }),
      "option rounds is \"0\", allowed are whole numbers from 1 to 1000000");
  EXPECT_NE(testing::refusal([] {
              static_cast<void>(make_balancer("matching", {{"odd", "even"}}));
            }).find("allowed are random, larger, carried"),
            std::string::npos);
}

}  // namespace
}  // namespace evencube
