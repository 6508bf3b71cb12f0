#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support.hpp"

namespace evencube {
namespace {

using testing::loads_type;

/// A rule of exchange as a balancer with its options.
struct exchange_rule {
  std::string test_name;
  std::string name;
  balancer_options options = {};

  [[nodiscard]] plan plan_for(const topology& graph, const loads_type& loads) const {
    return testing::plan_for(name, graph, loads, options);
  }
};

class incomplete_cube : public ::testing::TestWithParam<exchange_rule> {};

/// Loads that are hard for an exchange: ramps of the pop-count, everything on one node, on the last
/// ones, in the folded part only, and random ones of several sizes.
std::vector<loads_type> hard_loads(std::mt19937_64& random, node_id nodes) {
  std::vector<loads_type> all;
  const node_id low = std::bit_floor(nodes);
  loads_type up(nodes);
  loads_type down(nodes);
  loads_type folded(nodes);
  for (node_id k = 0; k < nodes; ++k) {
    up[k] = std::popcount(k);
    down[k] = 40 - std::popcount(k);
    folded[k] = k >= low ? 101 : 0;
  }
  all.insert(all.end(), {up, down, folded});
  for (const node_id place : {node_id{0}, low - 1, nodes - 1}) {
    loads_type one(nodes, 0);
    one[place] = 1000003;
    all.push_back(one);
  }
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t largest[] = {1, 2, 5, 100, 1000000007};
    all.push_back(testing::random_loads(random, nodes, largest[i % 5]));
  }
  return all;
}

TEST_P(incomplete_cube, bound_holds_for_every_size) {
  std::mt19937_64 random(11);
  for (node_id nodes = 1; nodes <= 64; ++nodes) {
    const auto graph = topology::cube(nodes);
    const bool full = std::has_single_bit(nodes);
    const load_type d = graph.dimensions();
    const load_type bound = full && GetParam().name == "oem" ? (d + 1) / 2 : d;
    for (const auto& loads : hard_loads(random, nodes)) {
      const auto after = testing::balanced(GetParam().name, graph, loads, GetParam().options);
      ASSERT_LE(max_difference(after), bound) << nodes << " nodes";
    }
  }
}

TEST_P(incomplete_cube, equal_loads_stay) {
  for (node_id nodes = 1; nodes <= 64; ++nodes) {
    for (const load_type load : {0, 1, 2, 3, 1000000001}) {
      EXPECT_EQ(transfer_count(GetParam().plan_for(topology::cube(nodes), loads_type(nodes, load))),
                0U);
    }
  }
}

TEST_P(incomplete_cube, power_of_two_is_the_hypercube) {
  std::mt19937_64 random(12);
  for (unsigned d = 0; d <= 6; ++d) {
    const auto loads = testing::random_loads(random, std::size_t{1} << d, 50);
    EXPECT_EQ(GetParam().plan_for(topology::cube(loads.size()), loads),
              GetParam().plan_for(topology::hypercube(d), loads));
  }
}

TEST_P(incomplete_cube, unequal_speeds_within_the_declared_deviation) {
  std::mt19937_64 random(13);
  const auto descriptor = describe_balancer(GetParam().name);
  for (node_id nodes = 1; nodes <= 40; ++nodes) {
    const auto graph = topology::cube(nodes);
    for (int round = 0; round < 40; ++round) {
      std::vector<double> capacities(nodes);
      double sum = 0.0;
      for (auto& c : capacities) c = static_cast<double>(random() % 5) * 0.5;
      capacities[random() % nodes] = 3.0;
      for (const double c : capacities) sum += c;
      const auto loads = testing::random_loads(random, nodes, 2000);
      const double total = static_cast<double>(total_load(loads));
      const auto after =
          testing::balanced(GetParam().name, graph, loads, GetParam().options, capacities);
      const balance_request request{.graph = graph, .loads = loads, .capacities = capacities};
      const double allowed =
          descriptor.guarantees.deviation(request, complete_options(descriptor, GetParam().options))
              .value();
      for (node_id k = 0; k < nodes; ++k) {
        ASSERT_LE(std::abs(static_cast<double>(after[k]) - total * capacities[k] / sum),
                  allowed + 1e-9)
            << nodes << " nodes, node " << k;
        if (capacities[k] == 0.0) {
          ASSERT_EQ(after[k], 0);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(rules, incomplete_cube,
                         ::testing::Values(exchange_rule{"dem", "dem"},
                                           exchange_rule{
                                               "dem_lower", "dem", {{"odd", "lower-if-moving"}}},
                                           exchange_rule{"oem", "oem"}),
                         [](const auto& which) { return which.param.test_name; });

}  // namespace
}  // namespace evencube
