// The weights of queues of a program's tasks, and the tasks that leave them.
#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/event_queue.hpp>
#include <evencube/simulator/model.hpp>
#include <evencube/simulator/task_graph.hpp>

#include <gtest/gtest.h>

#include "../../simulator/src/machine.hpp"

namespace evencube::simulator {
namespace {

/// Two nodes. Node 0 runs task 0, and tasks 1 to 5 wait there, with the given numbers of quanta.
class machine_loads : public testing::Test {
 protected:
  machine_loads() {
    const task_graph::step only{1, no_task, task_graph::action::end};
    for (const std::uint32_t cost : {7U, 10U, 10U, 10U, 1U, 1U}) {
      const task_id task = program_.add({&only, 1});
      program_.place(task, task_graph::no_home, task_graph::no_group);
      program_.weigh(task, cost);
      program_.add_root({0, 0, task});
    }
    what_.graph = &graph_;
    what_.program = &program_;
    what_.balance.migrated = migrated_end::oldest;
    what_.sleep.wake = 1e-9;  // a hold records the debts of nodes
  }

  topology graph_ = topology::parse("hypercube:1");
  task_graph program_;
  model what_;
};

TEST_F(machine_loads, count_what_tasks_cost_but_one_for_who_runs) {
  machine<heap_queue<4>> nodes(what_);
  for (task_id t = 0; t < 6; ++t) nodes.arrive(0, 1, t);
  EXPECT_EQ(nodes.load(0), 1 + 32);
  // By their mean of six quanta, twenty quanta are three tasks; these are the oldest ones.
  const chain taken = nodes.take(0, 20, false);
  EXPECT_EQ(taken.count, 3U);
  EXPECT_EQ(taken.quanta, 30);
  EXPECT_EQ(nodes.load(0), 1 + 2);
  nodes.deliver(1, taken);
  EXPECT_EQ(nodes.load(1), 1 + 20);
}

TEST_F(machine_loads, of_half_a_task_nothing_leaves_unless_somebody_has_none) {
  machine<heap_queue<4>> nodes(what_);
  for (task_id t = 0; t < 4; ++t) nodes.arrive(0, 1, t);
  EXPECT_EQ(nodes.common_cost(), 10);
  EXPECT_EQ(nodes.take(0, 5, false).count, 0U);
  EXPECT_EQ(nodes.load(0), 1 + 30);
  const chain taken = nodes.take(0, 5, true);
  EXPECT_EQ(taken.count, 1U);
  EXPECT_EQ(taken.quanta, 10);
  EXPECT_EQ(nodes.load(0), 1 + 20);
}

// Under a hold the cost of each task is known; otherwise only the mean, here of six quanta.
TEST_F(machine_loads, come_nearest_to_what_is_asked_for) {
  for (const bool held : {false, true}) {
    machine<heap_queue<4>> nodes(what_);
    for (task_id t = 0; t < 6; ++t) nodes.arrive(0, 1, t);
    EXPECT_EQ(nodes.common_cost(), 1);
    EXPECT_EQ(nodes.largest_waiting(), 10);
    EXPECT_EQ(nodes.take(0, 4, false, held).quanta, held ? 0 : 10);
    EXPECT_EQ(nodes.take(0, 6, false, held).quanta, 10);
  }
}

TEST_F(machine_loads, are_whole_again_after_a_hold) {
  machine<heap_queue<4>> nodes(what_);
  for (task_id t = 0; t < 6; ++t) nodes.arrive(0, 1, t);
  nodes.hold();
  EXPECT_EQ(nodes.load(0), 7 + 32);
  nodes.release();
  EXPECT_EQ(nodes.load(0), 1 + 32);
}

}  // namespace
}  // namespace evencube::simulator
