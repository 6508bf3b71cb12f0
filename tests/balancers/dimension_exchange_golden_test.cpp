#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include <evencube/balancers/exchange.hpp>

#include "support.hpp"

namespace evencube {
namespace {

using testing::balanced;
using ::testing::ElementsAre;
using testing::loads_type;

TEST(dem, pairs_of_the_paper) {
  // Rim et al. 2003, Sections 2 and 2.1.
  EXPECT_THAT(balanced("dem", topology::hypercube(1), {7, 14}), ElementsAre(10, 11));
  EXPECT_THAT(balanced("dem", topology::hypercube(1), {14, 21}), ElementsAre(17, 18));
  EXPECT_THAT(balanced("dem", topology::hypercube(1), {14, 7}), ElementsAre(11, 10));
}

TEST(dem, figure_18) {
  const loads_type loads{15, 1, 1, 1, 1, 1, 1, 1};
  const auto graph = topology::hypercube(3);
  const plan made = testing::plan_for("dem", graph, loads);
  EXPECT_THAT(made.phases, ElementsAre(ElementsAre(transfer{0, 1, 7}),
                                       ElementsAre(transfer{0, 2, 3}, transfer{1, 3, 3}),
                                       ElementsAre(transfer{0, 4, 2}, transfer{1, 5, 2},
                                                   transfer{2, 6, 1}, transfer{3, 7, 1})));
  const auto found = evaluate(graph, loads, made);
  EXPECT_THAT(found.final_loads, ElementsAre(3, 3, 3, 3, 3, 3, 2, 2));
  EXPECT_EQ(found.task_hops, 19);
  EXPECT_EQ(found.max_difference, 1);
  EXPECT_EQ(found.max_link, 7);
}

TEST(dem, published_worst_case_moves_nothing) {
  // Figure 3: loads a + popcount(k) leave a difference of d.
  for (unsigned d = 1; d <= 12; ++d) {
    loads_type loads(std::size_t{1} << d);
    for (std::size_t k = 0; k < loads.size(); ++k) loads[k] = 5 + std::popcount(k);
    const plan made = testing::plan_for("dem", topology::hypercube(d), loads);
    EXPECT_EQ(transfer_count(made), 0U);
    EXPECT_EQ(max_difference(loads), static_cast<load_type>(d));
  }
}

TEST(dem_lower, pairs_that_differ_by_one_rest_and_others_leave_the_odd_unit_below) {
  const balancer_options lower{{"odd", "lower-if-moving"}};
  const auto pair = [&](load_type a, load_type b) {
    return balanced("dem", topology::hypercube(1), {a, b}, lower);
  };
  EXPECT_THAT(pair(7, 14), ElementsAre(11, 10));
  EXPECT_THAT(pair(14, 7), ElementsAre(11, 10));
  EXPECT_THAT(pair(7, 8), ElementsAre(7, 8));
  EXPECT_THAT(pair(8, 7), ElementsAre(8, 7));
  EXPECT_THAT(pair(7, 7), ElementsAre(7, 7));
  EXPECT_THAT(pair(0, 2), ElementsAre(1, 1));
  EXPECT_THAT(pair(0, 3), ElementsAre(2, 1));
  for (load_type a = 0; a < 40; ++a) {
    for (load_type b = 0; b < 40; ++b) {
      const load_type kept = dem_lower_share(a, b);
      EXPECT_EQ(kept, std::abs(a - b) <= 1 ? a : (a + b + 1) / 2);
    }
  }
}

TEST(dem_lower, dense_flows_agree_with_the_plan) {
  std::mt19937_64 random(8);
  for (unsigned d = 1; d <= 8; ++d) {
    auto loads = testing::random_loads(random, std::size_t{1} << d, 9);
    const auto planned =
        balanced("dem", topology::hypercube(d), loads, {{"odd", "lower-if-moving"}});
    loads_type flows(loads.size() / 2);
    for (unsigned i = 0; i < d; ++i) exchange_dimension(pair_rule::dem_lower, loads, i, flows);
    EXPECT_EQ(planned, loads);
  }
}

TEST(dem_lower, published_worst_case_moves_nothing) {
  loads_type loads(64);
  for (std::size_t k = 0; k < loads.size(); ++k) loads[k] = 5 + std::popcount(k);
  EXPECT_EQ(transfer_count(testing::plan_for("dem", topology::hypercube(6), loads,
                                             {{"odd", "lower-if-moving"}})),
            0U);
}

TEST(oem, pairs_of_the_paper) {
  EXPECT_THAT(balanced("oem", topology::hypercube(1), {4, 7}), ElementsAre(5, 6));
  EXPECT_THAT(balanced("oem", topology::hypercube(1), {7, 4}), ElementsAre(5, 6));
  // Uphill: the unit goes from the lighter to the heavier member.
  EXPECT_THAT(balanced("oem", topology::hypercube(1), {0, 1}), ElementsAre(1, 0));
  EXPECT_THAT(balanced("oem", topology::hypercube(1), {3, 3}), ElementsAre(3, 3));
  EXPECT_THAT(balanced("oem", topology::hypercube(1), {3, 4}), ElementsAre(3, 4));
}

TEST(oem, odd_sums_leave_the_lower_id_odd) {
  for (load_type a = 0; a < 40; ++a) {
    for (load_type b = 0; b < 40; ++b) {
      const load_type lower = oem_share(a, b);
      const load_type higher = a + b - lower;
      EXPECT_LE(std::abs(lower - higher), 1);
      if ((a + b) % 2 != 0) {
        EXPECT_EQ(lower % 2, 1);
        EXPECT_EQ(higher % 2, 0);
      }
    }
  }
}

TEST(dimension_order, any_permutation_or_a_clear_refusal) {
  const auto graph = topology::hypercube(3);
  const loads_type loads{15, 1, 1, 1, 1, 1, 1, 1};
  const plan descending = testing::plan_for("dem", graph, loads, {{"order", "descending"}});
  EXPECT_THAT(descending.phases[0], ElementsAre(transfer{0, 4, 7}));
  EXPECT_EQ(descending, testing::plan_for("dem", graph, loads, {{"order", "2,1,0"}}));
  const plan mixed = testing::plan_for("oem", graph, loads, {{"order", "1,2,0"}});
  EXPECT_EQ(mixed.phases[0].front().to, 2U);
  EXPECT_EQ(mixed.phases[1].front().to, 4U);
  for (const char* bad : {"", "0,1", "0,1,1", "0,1,3", "0,1,2,", "up", "0 1 2", ",0,1,2"}) {
    EXPECT_NE(testing::refusal([&] { testing::plan_for("dem", graph, loads, {{"order", bad}}); }),
              "")
        << bad;
  }
}

TEST(dense_flows, agree_with_the_plan) {
  std::mt19937_64 random(7);
  for (unsigned d = 0; d <= 14; ++d) {
    const std::size_t nodes = std::size_t{1} << d;
    const auto initial = testing::random_loads(random, nodes, 1000);
    for (const auto rule : {pair_rule::dem, pair_rule::oem}) {
      auto loads = initial;
      loads_type flows(d * (nodes / 2));
      rule == pair_rule::dem ? dem_flows(loads, flows) : oem_flows(loads, flows);
      plan listed;
      listed.phases.resize(d);
      for (unsigned i = 0; i < d; ++i) {
        for (node_id p = 0; p < nodes / 2; ++p) {
          const load_type flow = flows[i * (nodes / 2) + p];
          const node_id lower = pair_lower(p, i);
          const node_id higher = lower | node_id{1} << i;
          if (flow > 0) listed.phases[i].push_back({lower, higher, flow});
          if (flow < 0) listed.phases[i].push_back({higher, lower, -flow});
        }
      }
      const plan made = testing::plan_for(rule == pair_rule::dem ? "dem" : "oem",
                                          topology::hypercube(d), initial);
      EXPECT_EQ(listed, made);
      EXPECT_EQ(final_loads(made, initial), loads);
    }
  }
}

TEST(dense_flows, sizes_that_do_not_fit_are_refused) {
  loads_type loads(6);
  loads_type flows(9);
  EXPECT_THROW(dem_flows(loads, flows), std::invalid_argument);
  loads.resize(8);
  EXPECT_THROW(oem_flows(loads, flows), std::invalid_argument);
  EXPECT_THROW(exchange_dimension(pair_rule::dem, loads, 3, std::span(flows).first(4)),
               std::invalid_argument);
}

}  // namespace
}  // namespace evencube
