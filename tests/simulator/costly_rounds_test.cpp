#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/simulator/model.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/task_graph.hpp>
#include <string>
#include <vector>

// Held rounds over the tasks of a program that cost several quanta, as tests/runtime has them for
// threads (costly_plans_test).

namespace evencube::simulator {
namespace {

/// One round while all tasks wait, long before the first of them ends.
result one_round(const std::string& balancer, transmission how,
                 const std::vector<std::uint32_t>& costs) {
  task_graph program;
  const task_graph::step only{1000, no_task, task_graph::action::end};
  std::size_t next = 0;
  for (node_id k = 0; k < 8; ++k) {
    for (node_id i = 0; i < (k * 7919 + 13) % 23; ++i) {
      const task_id task = program.add({&only, 1});
      program.place(task, task_graph::no_home, task_graph::no_group);
      program.weigh(task, costs[next++ % costs.size()]);
      program.add_root({0, k, task});
    }
  }
  const topology cube = topology::hypercube(3);
  const auto strategy = make_balancer(balancer);
  model m;
  m.graph = &cube;
  m.program = &program;
  m.balance.strategy = strategy.get();
  m.balance.when = {.which = trigger::kind::period, .period = 1, .most_rounds = 1};
  m.balance.held = true;
  m.balance.transmission = how;
  return simulate(m, 1);
}

TEST(costly_rounds, are_exact_where_all_tasks_cost_the_same) {
  for (const std::string name : {"dem", "oem", "cwa", "diffusion", "rotate"}) {
    for (const transmission how : all_transmissions) {
      const result ones = one_round(name, how, {1});
      EXPECT_GT(ones.tasks_moved, 0U) << name;
      for (const std::uint32_t cost : {2U, 10U, 50U}) {
        const result r = one_round(name, how, {cost});
        EXPECT_EQ(r.planned_difference, cost * ones.planned_difference) << name << ' ' << cost;
        EXPECT_EQ(r.tasks_moved, ones.tasks_moved) << name << ' ' << cost;
        EXPECT_EQ(r.shortfall, 0U) << name << ' ' << cost;
      }
    }
  }
}

TEST(costly_rounds, end_within_one_task_of_the_plan_where_they_do_not) {
  for (const transmission how : all_transmissions) {
    const result r = one_round("optimal", how, {1, 2, 50, 7});
    EXPECT_GT(r.difference_before, 200) << to_string(how);
    EXPECT_LE(r.planned_difference, 1 + 2 * 49) << to_string(how);
  }
}

}  // namespace
}  // namespace evencube::simulator
