#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::simulator {
namespace {

TEST(presets, random_arrivals_run_to_their_horizon_and_batches_to_their_end) {
  for (const char* name : {"mm1-array", "mmc", "hot-spot", "rim-queueing"}) {
    const scenario s = make_preset(name, {.horizon = 20});
    const result r = simulate(s.what, 1);
    EXPECT_EQ(r.end, 20) << name;
  }
  for (const char* name : {"batch", "fork-join", "search-tree"}) {
    const scenario s = make_preset(name);
    const result r = simulate(s.what, 1);
    EXPECT_EQ(r.completed, r.arrived) << name;
    EXPECT_GT(r.speedup, 4) << name;
  }
}

TEST(presets, requests_replace_topology_balancer_and_load) {
  const scenario s = make_preset(
      "mm1-array", {.topology = "ring:12", .balancer = "dem", .load = 0.25, .horizon = 100});
  EXPECT_EQ(s.graph->nodes(), 12U);
  EXPECT_EQ(s.strategy->name(), "dem");
  EXPECT_DOUBLE_EQ(s.what.arrivals.rate, 0.25);
}

TEST(presets, unknown_names_are_refused_with_the_known_ones) {
  try {
    (void)make_preset("mm2");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(),
                testing::AllOf(testing::HasSubstr("mm2"), testing::HasSubstr("mm1-array")));
  }
  EXPECT_THROW((void)make_preset("mmc", {.balancer = "oem"}), std::invalid_argument);
}

TEST(presets, of_loh_draw_new_loads_for_each_seed) {
  for (const char* name :
       {"loh-stable", "loh-unstable", "loh-stable-fitted", "loh-unstable-fitted"}) {
    const scenario s = make_preset(name, {.balancer = "sender_initiated"});
    ASSERT_TRUE(s.what.draw_initial) << name;
    EXPECT_EQ(s.what.draw_initial(3), s.what.draw_initial(3));
    EXPECT_NE(s.what.draw_initial(3), s.what.draw_initial(4));
    EXPECT_NE(simulate(s.what, 1).work, simulate(s.what, 2).work);
  }
}

// The marks of the worked examples make everybody a sender, for ever; those of the fitted reading
// only the overloaded.
TEST(presets, fitted_to_the_tables_of_loh_gain_with_every_strategy) {
  for (const char* name :
       {"gradient", "sender_initiated", "receiver_initiated", "dispatcher", "prediction"}) {
    const scenario s = make_preset("loh-unstable-fitted", {.balancer = name});
    model without = s.what;
    without.balance = {};
    EXPECT_LT(simulate(s.what, 1).makespan, 0.9 * simulate(without, 1).makespan) << name;
  }
}

TEST(loh_loads, hold_a_hundred_tasks_per_node) {
  for (const bool stable : {true, false}) {
    const auto loads = loh_loads(stable, 16, 3);
    EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), load_type{0}), 1600);
  }
  // "About 25 to 35 % of the processors overloaded, none idle": the spread of 1600 random places.
  const auto loads = loh_loads(true, 16, 3);
  EXPECT_GT(*std::min_element(loads.begin(), loads.end()), 60);
  EXPECT_LT(*std::max_element(loads.begin(), loads.end()), 140);
}

}  // namespace
}  // namespace evencube::simulator
