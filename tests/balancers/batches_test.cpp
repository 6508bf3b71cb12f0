// The pipelined transmission in batches: what arrives, in how many steps, and at what cost.

#include <gtest/gtest.h>

#include <evencube/balancers/batches.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <random>
#include <stdexcept>

namespace evencube {
namespace {

plan planned_by(const char* balancer, const topology& graph, const std::vector<load_type>& loads) {
  plan made;
  make_balancer(balancer)->make_plan({.graph = graph, .loads = loads}, made);
  return made;
}

// Rim et al. 2003, Fig. 19: seven steps.
TEST(batches, of_one_quantum_are_the_papers_rotation) {
  const topology cube = topology::cube(8);
  const std::vector<load_type> loads = {15, 1, 1, 1, 1, 1, 1, 1};
  const plan planned = planned_by("dem", cube, loads);
  const schedule one = make_batched_schedule(loads, planned, 1);
  EXPECT_EQ(one, make_schedule(transmission::pipelined, loads, planned));
  EXPECT_EQ(one.cost, 7);
}

TEST(batches, take_fewer_steps_and_bring_the_same_loads) {
  std::mt19937_64 random(7);
  for (const char* balancer : {"dem", "oem", "cwa", "diffusion", "optimal"}) {
    for (const unsigned nodes : {2U, 3U, 8U, 16U, 64U}) {
      const topology cube = topology::cube(nodes);
      const balancer_descriptor about = describe_balancer(balancer);
      if (about.guarantees.supports && !about.guarantees.supports(cube)) continue;
      for (int i = 0; i < 20; ++i) {
        std::vector<load_type> loads(nodes);
        for (auto& load : loads) load = std::uniform_int_distribution<load_type>(0, 1000)(random);
        if (i == 0) loads.assign(nodes, 0), loads[0] = 10000;
        const plan planned = planned_by(balancer, cube, loads);
        const load_type overlapped = transmission_cost(transmission::overlapped, loads, planned);
        for (const load_type batch : {1, 2, 7, 64, 100000}) {
          const schedule made = make_batched_schedule(loads, planned, batch);
          const plan steps = plan_of(made);
          ASSERT_NO_THROW(validate_plan(cube, loads, steps)) << balancer << ' ' << nodes;
          ASSERT_EQ(final_loads(steps, loads), final_loads(planned, loads));
          ASSERT_LE(made.cost, overlapped);
        }
        const load_type usual = usual_batch(nodes, planned);
        EXPECT_LE(make_batched_schedule(loads, planned, usual).steps.size(), 16U * nodes);
      }
    }
  }
}

TEST(batches, the_usual_one_takes_the_busiest_link_in_sixteen_steps) {
  EXPECT_EQ(usual_batch(2, {{{{0, 1, 1600}}}}), 100);
  EXPECT_EQ(usual_batch(2, {{{{0, 1, 1601}}}}), 101);
  EXPECT_EQ(usual_batch(2, {{{{0, 1, 800}}, {{0, 1, 800}}}}), 100);
  EXPECT_EQ(usual_batch(2, {{{{0, 1, 16}}}}), 1);
  EXPECT_EQ(usual_batch(2, {}), 1);
  const std::vector<load_type> loads = {3200, 0};
  EXPECT_EQ(make_batched_schedule(loads, {{{{0, 1, 1600}}}}, 100).steps.size(), 16U);
}

TEST(batches, below_one_quantum_are_refused) {
  EXPECT_THROW(static_cast<void>(make_batched_schedule({}, {}, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_batched_schedule({}, {}, -4)), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
