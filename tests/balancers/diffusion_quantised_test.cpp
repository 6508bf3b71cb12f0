#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <evencube/balancers/diffusion.hpp>

#include "support.hpp"

namespace evencube {
namespace {

using testing::loads_type;

const char* const networks[] = {"hypercube:3", "hypercube:4", "mesh:4x4",
                                "ring:9",      "star:6",      "fibonacci-composite:16"};

TEST(diffusion_floor, never_widens_and_stalls_only_below_the_inverse_weight) {
  std::mt19937_64 random(21);
  for (const char* network : networks) {
    const auto graph = topology::parse(network);
    const double weight = optimal_weight(graph);
    for (int round = 0; round < 30; ++round) {
      const auto loads = testing::random_loads(random, graph.nodes(), 500);
      const plan made =
          testing::plan_for("diffusion", graph, loads, {{"iterations", "100000"}, {"target", "0"}});
      auto now = loads;
      for (const auto& moves : made.phases) {
        const load_type before = max_difference(now);
        apply_plan({{moves}}, now);
        ASSERT_LE(max_difference(now), before);
      }
      for (node_id a = 0; a < graph.nodes(); ++a) {
        graph.for_each_neighbour(a, [&](node_id b) {
          ASSERT_LT(static_cast<double>(std::abs(now[a] - now[b])), 1.0 / weight + 1e-9);
        });
      }
    }
  }
}

TEST(diffusion_carry, stays_within_half_a_degree_of_the_real_loads) {
  std::mt19937_64 random(22);
  for (const char* network : networks) {
    const auto graph = topology::parse(network);
    const double weight = optimal_weight(graph);
    for (int round = 0; round < 20; ++round) {
      // Far from empty, so that no node runs short and the rounding is all there is.
      auto loads = testing::random_loads(random, graph.nodes(), 500);
      for (auto& load : loads) load += 1000;
      const plan made = testing::plan_for(
          "diffusion", graph, loads, {{"form", "carry"}, {"iterations", "60"}, {"target", "0"}});
      std::vector<double> real(loads.begin(), loads.end());
      auto now = loads;
      for (const auto& moves : made.phases) {
        diffuse(graph, weight, real);
        apply_plan({{moves}}, now);
        for (node_id k = 0; k < graph.nodes(); ++k) {
          ASSERT_LE(std::abs(static_cast<double>(now[k]) - real[k]), graph.degree(k) / 2.0 + 1e-6);
        }
      }
    }
  }
}

TEST(diffusion, stops_at_the_target_and_at_the_iterations) {
  const auto graph = topology::hypercube(4);
  loads_type loads(16, 0);
  loads[0] = 100000;
  EXPECT_EQ(testing::plan_for("diffusion", graph, loads, {{"iterations", "3"}}).phases.size(), 3U);
  const plan made = testing::plan_for("diffusion", graph, loads, {{"target", "50"}});
  EXPECT_LE(max_difference(final_loads(made, loads)), 50);
  plan shorter = made;
  shorter.phases.pop_back();
  EXPECT_GT(max_difference(final_loads(shorter, loads)), 50);
}

TEST(diffusion, weights_out_of_range_are_refused) {
  const loads_type loads(8, 1);
  for (const char* bad : {"0", "-0.1", "0.34", "2", "best", ""}) {
    EXPECT_NE(testing::refusal([&] {
                testing::plan_for("diffusion", topology::hypercube(3), loads, {{"weight", bad}});
              }),
              "")
        << bad;
  }
}

TEST(weighted_diffusion, any_symmetric_weights) {
  const auto graph = topology::linear(3);
  const auto made =
      make_weighted_diffusion({{0, 1, 0.5}, {1, 2, 0.25}}, diffusion_form::floor, 1, 0);
  plan out;
  const loads_type loads{8, 0, 4};
  made->make_plan({.graph = graph, .loads = loads}, out);
  EXPECT_THAT(out.phases,
              ::testing::ElementsAre(::testing::ElementsAre(transfer{0, 1, 4}, transfer{2, 1, 1})));
  EXPECT_THROW(static_cast<void>(make_weighted_diffusion({{0, 1, 0.7}, {1, 2, 0.7}},
                                                         diffusion_form::floor, 1, 0)),
               std::invalid_argument);
  EXPECT_THROW(
      static_cast<void>(make_weighted_diffusion({{0, 1, -0.1}}, diffusion_form::floor, 1, 0)),
      std::invalid_argument);
  const auto elsewhere =
      make_weighted_diffusion({{0, 2, 0.5}, {0, 1, 0.1}}, diffusion_form::floor, 1, 0);
  EXPECT_THROW(elsewhere->make_plan({.graph = graph, .loads = loads}, out), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
