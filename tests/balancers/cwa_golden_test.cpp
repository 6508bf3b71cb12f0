#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::ElementsAre;
using testing::loads_type;

const loads_type figure_18{15, 1, 1, 1, 1, 1, 1, 1};

TEST(cwa, figures_20_and_21) {
  const auto graph = topology::hypercube(3);
  const plan made = testing::plan_for("cwa", graph, figure_18, {{"quota", "halving"}});
  EXPECT_THAT(made.phases, ElementsAre(ElementsAre(transfer{0, 4, 7}),
                                       ElementsAre(transfer{0, 2, 4}, transfer{4, 6, 4}),
                                       ElementsAre(transfer{0, 1, 2}, transfer{2, 3, 2},
                                                   transfer{4, 5, 2}, transfer{6, 7, 2})));
  const auto found = evaluate(graph, figure_18, made);
  EXPECT_THAT(found.final_loads, ElementsAre(2, 3, 3, 3, 2, 3, 3, 3));
  EXPECT_EQ(found.task_hops, 23);
  EXPECT_EQ(found.t_comm.phased, 13);
  EXPECT_EQ(found.t_comm.overlapped_rounds, 13);
  EXPECT_EQ(found.t_comm.overlapped, 13);
  EXPECT_EQ(found.t_comm.pipelined, 7);
}

TEST(cwa, quotas_to_the_first_ids) {
  const auto graph = topology::hypercube(3);
  const auto found =
      evaluate(graph, figure_18, testing::plan_for("cwa", graph, figure_18, {{"quota", "first"}}));
  EXPECT_EQ(found.t_comm.phased, 12);
  EXPECT_EQ(found.t_comm.overlapped, 8);
  EXPECT_EQ(found.t_comm.pipelined, 6);
  EXPECT_THAT(found.final_loads, ElementsAre(3, 3, 3, 3, 3, 3, 2, 2));
}

TEST(cwa, eighty_six_units_on_eight_nodes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    loads_type loads(8, 0);
    for (int i = 0; i < 86; ++i) ++loads[random() % 8];
    for (const char* quota : {"first", "halving"}) {
      for (const char* split : {"greedy", "surplus", "proportional", "even"}) {
        auto after = testing::balanced("cwa", topology::hypercube(3), loads,
                                       {{"quota", quota}, {"split", split}});
        std::sort(after.begin(), after.end());
        EXPECT_EQ(after, (loads_type{10, 10, 11, 11, 11, 11, 11, 11}));
      }
    }
  }
}

TEST(cwa, rounds_can_cost_more_than_phases) {
  const loads_type loads{0, 0, 19, 29, 0, 0, 9, 1};
  const auto graph = topology::hypercube(3);
  const plan made = testing::plan_for("cwa", graph, loads, {{"quota", "first"}});
  const auto found = evaluate(graph, loads, made);
  EXPECT_EQ(found.t_comm.phased, 36);
  EXPECT_EQ(found.t_comm.overlapped_rounds, 37);
  EXPECT_EQ(found.t_comm.overlapped, 33);
  const auto rounds = make_schedule(transmission::overlapped_rounds, loads, made);
  std::vector<load_type> durations;
  for (const auto& step : rounds.steps) durations.push_back(step.duration);
  EXPECT_THAT(durations, ElementsAre(16, 14, 7));
}

TEST(cwa, split_rules_share_an_excess_of_nine) {
  // The half {0, 1, 2, 3} must give 9; surpluses over the quota 1 are 8, 4 and 2.
  const loads_type loads{9, 5, 3, 0, 0, 0, 0, 0};
  const auto gives = [&](const char* split, const loads_type& start) {
    const plan made = testing::plan_for("cwa", topology::hypercube(3), start,
                                        {{"quota", "first"}, {"split", split}});
    loads_type given(4, 0);
    for (const transfer& t : made.phases[0]) given[t.from] = t.quanta;
    return given;
  };
  // Total 17: quotas 3, 2, 2, 2 | 2, 2, 2, 2; surpluses 6, 3, 1; the upper half lacks 8.
  EXPECT_THAT(gives("greedy", loads), ElementsAre(6, 2, 0, 0));
  EXPECT_THAT(gives("surplus", loads), ElementsAre(6, 2, 0, 0));
  EXPECT_THAT(gives("surplus", {3, 5, 9, 0, 0, 0, 0, 0}), ElementsAre(0, 1, 7, 0));
  EXPECT_THAT(gives("proportional", loads), ElementsAre(5, 3, 0, 0));
  EXPECT_THAT(gives("even", loads), ElementsAre(4, 3, 1, 0));
}

TEST(hybrid, ends_are_cwa_and_oem) {
  std::mt19937_64 random(4);
  const auto graph = topology::hypercube(4);
  for (int round = 0; round < 50; ++round) {
    const auto loads = testing::random_loads(random, 16, 100);
    EXPECT_EQ(testing::plan_for("hybrid", graph, loads, {{"exchanged", "0"}}),
              testing::plan_for("cwa", graph, loads));
    EXPECT_EQ(testing::plan_for("hybrid", graph, loads, {{"exchanged", "4"}}),
              testing::plan_for("oem", graph, loads));
  }
}

/// Means over random loads 0 .. 100, as in Rim et al. 2003, Figures 7, 12 and 13.
struct averages {
  double difference = 0;
  double phased = 0;
  double hops = 0;
};

averages mean_of(std::string_view name, unsigned dimensions, const balancer_options& options) {
  std::mt19937_64 random(17);
  averages sum;
  constexpr int samples = 2000;
  const auto graph = topology::hypercube(dimensions);
  for (int i = 0; i < samples; ++i) {
    const auto loads = testing::random_loads(random, graph.nodes(), 100);
    const plan made = testing::plan_for(name, graph, loads, options);
    sum.difference += static_cast<double>(max_difference(final_loads(made, loads)));
    sum.phased += static_cast<double>(transmission_cost(transmission::phased, loads, made));
    sum.hops += static_cast<double>(task_hops(made));
  }
  return {sum.difference / samples, sum.phased / samples, sum.hops / samples};
}

TEST(rim, means_over_random_loads) {
  const double dem_difference[] = {1.12, 1.41, 1.63};
  const double oem_difference[] = {1.00, 1.19, 1.42};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean_of("dem", 3 + i, {}).difference, dem_difference[i], 0.06);
    EXPECT_NEAR(mean_of("oem", 3 + i, {}).difference, oem_difference[i], 0.06);
  }
  const auto oem8 = mean_of("oem", 3, {});
  EXPECT_NEAR(oem8.phased, 55.1, 2.0);
  EXPECT_NEAR(oem8.hops, 146.5, 5.0);
  const std::pair<const char*, double> phased8[] = {
      {"even", 67.4}, {"proportional", 68.7}, {"greedy", 76.4}};
  for (const auto& [split, phased] : phased8) {
    const auto cwa = mean_of("cwa", 3, {{"split", split}});
    EXPECT_NEAR(cwa.phased, phased, 2.5) << split;
    EXPECT_GT(cwa.hops, 119.0);
    EXPECT_LT(cwa.hops, 130.0);
    EXPECT_GT(cwa.phased, oem8.phased);  // OEM wins in time, CWA in hops
    EXPECT_LT(cwa.hops, oem8.hops);
  }
}

}  // namespace
}  // namespace evencube
