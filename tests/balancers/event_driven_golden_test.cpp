#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::ElementsAre;
using testing::loads_type;

struct activation {
  std::string name;
  balancer_options options;
  topology graph;
  loads_type loads;
  std::optional<node_id> initiator;
  std::vector<double> service_times = {};
};

loads_type after(const activation& a, plan* out = nullptr) {
  plan made;
  make_balancer(a.name, a.options)
      ->make_plan({.graph = a.graph,
                   .loads = a.loads,
                   .initiator = a.initiator,
                   .service_times = a.service_times},
                  made);
  validate_plan(a.graph, a.loads, made);
  if (out != nullptr) *out = made;
  return final_loads(made, a.loads);
}

TEST(sender_initiated, example_of_the_paper) {
  // Loh et al. 1996, Figure 2: A = 20 among 0, 5, 7, 8; L_high 10; L_avg 8.
  plan made;
  EXPECT_THAT(
      after({"sender_initiated", {{"high", "10"}}, topology::star(5), {20, 0, 5, 7, 8}, 0}, &made),
      ElementsAre(8, 8, 8, 8, 8));
  EXPECT_THAT(made.phases,
              ElementsAre(ElementsAre(transfer{0, 1, 8}, transfer{0, 2, 3}, transfer{0, 3, 1})));
}

TEST(sender_initiated, threshold_and_initiator) {
  EXPECT_THAT(after({"sender_initiated", {{"high", "20"}}, topology::star(5), {20, 0, 5, 7, 8}, 0}),
              ElementsAre(20, 0, 5, 7, 8));
  EXPECT_THAT(after({"sender_initiated", {{"high", "10"}}, topology::star(5), {20, 0, 5, 7, 8}, 3}),
              ElementsAre(20, 0, 5, 7, 8));
}

TEST(receiver_initiated, example_of_the_paper) {
  // Figure 3: A = 2 among 14, 13, 12, 9; L_low 6; L_avg 10; shares 3.56, 2.67, 1.78, 0.
  const auto with = [](const char* rounding) {
    return after({"receiver_initiated",
                  {{"low", "6"}, {"rounding", rounding}},
                  topology::star(5),
                  {2, 14, 13, 12, 9},
                  0});
  };
  EXPECT_THAT(with("ceiling"), ElementsAre(11, 10, 10, 10, 9));
  EXPECT_THAT(with("nearest"), ElementsAre(11, 10, 10, 10, 9));
  EXPECT_THAT(with("floor"), ElementsAre(8, 11, 11, 11, 9));
}

TEST(receiver_initiated, later_activations_see_what_earlier_ones_left) {
  plan made;
  const auto loads =
      after({"receiver_initiated", {}, topology::linear(4), {0, 12, 0, 0}, {}}, &made);
  // Node 0 asks node 1, then node 2 asks 1 (and 3), then node 3 asks 2.
  ASSERT_GE(made.phases.size(), 2U);
  EXPECT_EQ(made.phases[0].front().to, 0U);
  EXPECT_EQ(made.phases[1].front().to, 2U);
  EXPECT_LT(max_difference(loads), 12);
}

TEST(gradient, one_unit_towards_the_nearest_light_node) {
  // linear array, light: node 4 only; node 0 heavy.
  plan made;
  after({"gradient",
         {{"low", "2"}, {"high", "8"}, {"portion", "0"}},
         topology::linear(5),
         {12, 5, 5, 5, 0},
         {}},
        &made);
  // Four hops away is the diameter: not saturated, since the others are nearer.
  EXPECT_THAT(made.phases, ElementsAre(ElementsAre(transfer{0, 1, 1})));
}

TEST(gradient, saturated_or_satisfied_networks_rest) {
  EXPECT_THAT(
      after({"gradient", {{"low", "2"}, {"high", "8"}}, topology::ring(4), {12, 9, 9, 9}, {}}),
      ElementsAre(12, 9, 9, 9));
  EXPECT_THAT(
      after({"gradient", {{"low", "2"}, {"high", "12"}}, topology::ring(4), {12, 0, 0, 0}, {}}),
      ElementsAre(12, 0, 0, 0));
}

TEST(gradient, ties_go_to_the_lowest_id_and_the_portion_counts_the_excess) {
  plan made;
  after({"gradient",
         {{"low", "2"}, {"high", "4"}, {"portion", "0.5"}},
         topology::ring(4),
         {14, 3, 0, 3},
         0},
        &made);
  EXPECT_THAT(made.phases, ElementsAre(ElementsAre(transfer{0, 1, 5})));
}

TEST(dispatcher, most_loaded_gives_half_the_difference_over_a_shortest_path) {
  plan made;
  EXPECT_THAT(
      after({"dispatcher", {{"low", "4"}}, topology::hypercube(3), {3, 5, 5, 5, 5, 5, 5, 20}, 0},
            &made),
      ElementsAre(11, 5, 5, 5, 5, 5, 5, 12));
  EXPECT_EQ(made.phases.size(), 3U);
  for (const auto& moves : made.phases) {
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].quanta, 8);
  }
}

TEST(prediction, sends_in_proportion_to_w_to_the_fastest) {
  // S = 4, 1, 2, 1: mean 2, W_0 = .5; portion 1: half of 10 units to node 1, the first fastest.
  plan made;
  EXPECT_THAT(after({"prediction",
                     {{"portion", "1"}},
                     topology::complete(4),
                     {10, 3, 3, 3},
                     {},
                     {4, 1, 2, 1}},
                    &made),
              ElementsAre(5, 8, 3, 3));
}

TEST(prediction, idle_is_light_and_busy_without_departures_is_heavy) {
  constexpr double never = std::numeric_limits<double>::infinity();
  EXPECT_THAT(after({"prediction",
                     {{"portion", "1"}},
                     topology::complete(3),
                     {10, 0, 4},
                     {},
                     {never, never, 2}}),
              // Mean of the finite ones (the idle node counts as 0): 1, so node 2 gives half, too.
              ElementsAre(0, 12, 2));
  // All alike: nobody is above the mean.
  EXPECT_THAT(after({"prediction", {}, topology::complete(3), {10, 1, 4}, {}, {2, 2, 2}}),
              ElementsAre(10, 1, 4));
}

TEST(prediction, one_light_node_is_chosen_although_its_score_is_zero) {
  EXPECT_THAT(after({"prediction", {{"portion", "1"}}, topology::complete(2), {8, 8}, {}, {3, 1}}),
              ElementsAre(6, 10));
}

}  // namespace
}  // namespace evencube
