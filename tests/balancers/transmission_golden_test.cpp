#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::ElementsAre;
using testing::loads_type;

TEST(transmission, figures_18_and_19) {
  // Rim et al. 2003: 12 phase by phase, 10 overlapped, 7 pipelined.
  const auto graph = topology::hypercube(3);
  const loads_type loads{15, 1, 1, 1, 1, 1, 1, 1};
  const plan made = testing::plan_for("dem", graph, loads);
  const auto found = evaluate(graph, loads, made);
  EXPECT_EQ(found.t_comm.phased, 12);
  EXPECT_EQ(found.t_comm.overlapped_rounds, 10);
  EXPECT_EQ(found.t_comm.overlapped, 10);
  EXPECT_EQ(found.t_comm.pipelined, 7);

  const auto rounds = make_schedule(transmission::overlapped_rounds, loads, made);
  ASSERT_EQ(rounds.steps.size(), 2U);
  EXPECT_EQ(rounds.steps[0].duration, 7);
  EXPECT_THAT(rounds.steps[0].transfers,
              ElementsAre(transfer{0, 1, 7}, transfer{0, 2, 3}, transfer{0, 4, 2},
                          transfer{2, 6, 1}, transfer{3, 7, 1}));
  EXPECT_EQ(rounds.steps[1].duration, 3);
  EXPECT_THAT(rounds.steps[1].transfers, ElementsAre(transfer{1, 3, 3}, transfer{1, 5, 2}));
}

TEST(transmission, figure_19_processor_1_alternates) {
  const loads_type loads{15, 1, 1, 1, 1, 1, 1, 1};
  const plan made = testing::plan_for("dem", topology::hypercube(3), loads);
  const auto steps = make_schedule(transmission::pipelined, loads, made);
  EXPECT_EQ(steps.cost, 7);
  std::vector<node_id> served;
  for (const auto& step : steps.steps) {
    for (const auto& t : step.transfers) {
      if (t.from == 1) served.insert(served.end(), static_cast<std::size_t>(t.quanta), t.to);
    }
  }
  EXPECT_THAT(served, ElementsAre(3, 5, 3, 5, 3));
}

TEST(transmission, names_read_back) {
  for (const auto how : all_transmissions) EXPECT_EQ(parse_transmission(to_string(how)), how);
  EXPECT_THAT(testing::refusal([] { static_cast<void>(parse_transmission("fast")); }),
              ::testing::HasSubstr("phased, overlapped_rounds, overlapped, pipelined, direct"));
}

TEST(direct, joins_hops_and_skips_what_comes_back) {
  const loads_type loads{10, 0, 0, 0};
  // 4 units go 0 -> 1 -> 3; 1 of them comes back to 1.
  const plan made{{{{0, 1, 4}}, {{1, 3, 4}}, {{3, 1, 1}}}};
  const auto steps = make_schedule(transmission::direct, loads, made);
  ASSERT_EQ(steps.steps.size(), 1U);
  EXPECT_THAT(steps.steps[0].transfers, ElementsAre(transfer{0, 1, 1}, transfer{0, 3, 3}));
  EXPECT_EQ(steps.cost, 3);
}

TEST(direct, a_circle_costs_nothing) {
  const loads_type loads{3, 3, 3, 3};
  const plan circle{{{{0, 1, 3}, {1, 3, 3}, {3, 2, 3}, {2, 0, 3}}}};
  const auto steps = make_schedule(transmission::direct, loads, circle);
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_EQ(steps.cost, 0);
}

}  // namespace
}  // namespace evencube
