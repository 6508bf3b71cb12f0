// Machines whose nodes are not alike or not as near to each other, and what became of their time:
// small cases by hand.
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evencube::simulator {
namespace {

constexpr double ms = 1e-3;
using action = task_graph::action;

/// A root on node 0 that spawns tasks of these lengths at once and ends; task i begins on homes[i].
task_graph spawned(const std::vector<double>& lengths, const std::vector<node_id>& homes) {
  task_graph made;
  std::vector<task_graph::step> steps;
  for (task_id i = 0; i < lengths.size(); ++i) steps.push_back({0, i + 1, action::spawn});
  steps.push_back({0, no_task, action::end});
  made.add(steps);
  for (const double length : lengths)
    made.add(std::vector{task_graph::step{length, no_task, action::end}});
  for (task_id i = 0; i < homes.size(); ++i) made.place(i + 1, homes[i], task_graph::no_group);
  made.add_root({0, 0, 0});
  return made;
}

/// Moves cost nothing but distance.
what_if free_machine(const char* topology, const char* balancer) {
  what_if made;
  made.topology = topology;
  made.balancer = balancer;
  made.costs = {};
  return made;
}

TEST(what_if_machines, blocks_are_corners_of_a_cube) {
  const distance_model two{.domains = 2, .per_hop = 1};
  EXPECT_EQ(two.hops(0, 3, 8), 0);
  EXPECT_EQ(two.hops(0, 4, 8), 1);
  EXPECT_EQ(two.hops(7, 0, 8), 1);
  EXPECT_EQ(two.hops(1, 2, 5), 0);  // blocks of three and two
  EXPECT_EQ(two.hops(2, 3, 5), 1);
  const distance_model eight{.domains = 8, .per_hop = 1};
  EXPECT_EQ(eight.hops(0, 15, 16), 3);
  EXPECT_EQ(eight.hops(0, 1, 16), 0);
  EXPECT_EQ(eight.hops(2, 4, 16), 2);
  EXPECT_EQ(eight.hops(0, 1, 2), 1);  // more blocks than nodes: 0 and 4
  EXPECT_EQ(distance_model{}.hops(0, 9, 10), 0);
}

// 0 -> 3 is two hops on a machine of four blocks: the task begins after them.
TEST(what_if_machines, a_task_takes_its_time_to_a_home_far_away) {
  const task_graph program = spawned({5 * ms}, {3});
  what_if on = free_machine("cube:4", "none");
  EXPECT_NEAR(replay(program, on).makespan, 5 * ms, 1e-9);
  on.distance = {.domains = 4, .per_hop = ms};
  ledger kept;
  EXPECT_NEAR(replay(program, on, 1, &kept).makespan, 7 * ms, 1e-9);
  ASSERT_EQ(kept.nodes.size(), 4U);
  EXPECT_NEAR(kept.nodes[3].receiving, 2 * ms, 1e-9);
  EXPECT_NEAR(kept.nodes[3].computing, 5 * ms, 1e-9);
  EXPECT_NEAR(kept.nodes[1].nothing, 7 * ms, 1e-9);
  const task_story& task = kept.tasks.at(1);
  EXPECT_EQ(task.home, 3U);
  EXPECT_NEAR(task.came, 2 * ms, 1e-9);
  EXPECT_NEAR(task.begun, 2 * ms, 1e-9);
  EXPECT_NEAR(task.ended, 7 * ms, 1e-9);
  EXPECT_EQ(task.moves, 0U);
}

// Four tasks of 4 ms on node 0 of two; the plan sends two, which are 1 ms each on their way:
// the nodes are done at 8 and 2 + 8 ms.
TEST(what_if_machines, tasks_that_move_pay_for_the_distance) {
  const task_graph program = spawned({4 * ms, 4 * ms, 4 * ms, 4 * ms}, {});
  what_if on = free_machine("cube:2", "oem");
  on.pulls = false;
  EXPECT_NEAR(replay(program, on).makespan, 8 * ms, 1e-6);
  on.distance = {.domains = 2, .per_hop = ms};
  ledger kept;
  const result far = replay(program, on, 1, &kept);
  EXPECT_NEAR(far.makespan, 10 * ms, 1e-6);
  EXPECT_EQ(far.tasks_moved, 2U);
  EXPECT_NEAR(kept.nodes[1].receiving, 2 * ms, 1e-6);
  EXPECT_NEAR(kept.nodes[1].computing, 8 * ms, 1e-6);
  EXPECT_NEAR(kept.nodes[0].computing, 8 * ms, 1e-6);
  EXPECT_NEAR(kept.nodes[0].nothing, 2 * ms, 1e-6);
  std::size_t moved = 0;
  for (const task_story& task : kept.tasks) {
    if (task.moves == 0) continue;
    ++moved;
    EXPECT_EQ(task.from, 0U);
    EXPECT_EQ(task.node, 1U);
    EXPECT_NEAR(task.left, 0, 1e-6);
    EXPECT_NEAR(task.landed, 2 * ms, 1e-6);
  }
  EXPECT_EQ(moved, 2U);
}

// Ranks are all as far from each other, and a message between them takes its time, too.
TEST(what_if_machines, blocks_may_be_ranks_with_a_link_between_any_two) {
  const distance_model four{.domains = 4, .per_hop = 2, .latency = 5, .flat = true};
  EXPECT_EQ(four.hops(0, 1, 8), 0);
  EXPECT_EQ(four.hops(0, 7, 8), 1);
  EXPECT_EQ(four.time(0, 1, 8, 3), 0);
  EXPECT_EQ(four.time(0, 7, 8, 3), 5 + 3 * 2);
  EXPECT_EQ(four.time_to_tell(8), 2 * 2 * 5);
  EXPECT_EQ(four.time_to_tell(2), 2 * 5);  // no more blocks than nodes
  EXPECT_EQ(distance_model{}.time_to_tell(8), 0);

  // A task for another rank begins there after the message.
  what_if on = free_machine("cube:4", "none");
  on.distance = {.domains = 4, .per_hop = ms, .latency = 3 * ms, .flat = true};
  EXPECT_NEAR(replay(spawned({5 * ms}, {3}), on).makespan, (3 + 1 + 5) * ms, 1e-9);

  // Two ranks: node 1 hears of the four tasks after question and answer, and then gets two.
  on = free_machine("cube:2", "oem");
  on.pulls = false;
  on.distance = {.domains = 2, .per_hop = ms, .latency = 3 * ms, .flat = true};
  const task_graph program = spawned({20 * ms, 20 * ms, 20 * ms, 20 * ms}, {});
  const result far = replay(program, on);
  EXPECT_EQ(far.tasks_moved, 2U);
  EXPECT_NEAR(far.makespan, (2 * 3 + 3 + 2 * 1 + 2 * 20) * ms, 1e-6);
}

// A machine of one block is one without distances, to the bit.
TEST(what_if_machines, one_block_changes_nothing_and_a_ledger_neither) {
  const task_graph program = task_graph::tree(6, 3, distribution::exponential(1e-5), 7);
  what_if on;
  on.topology = "cube:6";
  on.balancer = "dem";
  const result plain = replay(program, on);
  on.distance = {.domains = 1, .per_hop = 1};
  ledger kept;
  const result with = replay(program, on, 1, &kept);
  EXPECT_EQ(plain.hash, with.hash);
  EXPECT_EQ(plain.makespan, with.makespan);
  for (const node_time& of : kept.nodes) {
    EXPECT_NEAR(of.computing + of.waking + of.receiving + of.planning + of.elsewhere + of.nothing,
                with.makespan, 1e-12);
  }
  for (const task_story& task : kept.tasks) {
    EXPECT_GE(task.came, 0);
    EXPECT_LE(task.came, task.begun);
    EXPECT_LE(task.begun, task.ended);
    EXPECT_LE(task.ended, with.makespan);
  }
}

// Nobody has anything to do but node 0, whose tasks no strategy moves.
TEST(what_if_machines, idle_time_while_work_stands_elsewhere_is_told_apart) {
  ledger kept;
  const task_graph program = spawned({3 * ms, 2 * ms}, {});
  EXPECT_NEAR(replay(program, free_machine("cube:2", "none"), 1, &kept).makespan, 5 * ms, 1e-9);
  // The newest runs first: the other waits for 2 ms.
  EXPECT_NEAR(kept.nodes[1].elsewhere, 2 * ms, 1e-9);
  EXPECT_NEAR(kept.nodes[1].nothing, 3 * ms, 1e-9);
  EXPECT_NEAR(kept.tasks.at(1).begun, 2 * ms, 1e-9);
}

// While a round is planned, 1 ms for each node.
TEST(what_if_machines, time_of_planning_is_told_apart) {
  what_if on = free_machine("cube:2", "oem");
  on.costs.costs.measure = ms;
  ledger kept;
  static_cast<void>(replay(spawned({8 * ms, 8 * ms, 8 * ms, 8 * ms}, {}), on, 1, &kept));
  EXPECT_NEAR(kept.nodes[1].planning, 2 * ms, 1e-6);
  EXPECT_NEAR(kept.nodes[1].waking, 0, 1e-9);
}

// Twelve tasks on node 0 of two, of which node 1 has half the speed: told so, the plan leaves it a
// third of them, and else a half. (Rounds alone move tasks, and only while node 1 is idle.)
TEST(what_if_machines, speeds_that_nobody_knows_are_told_to_no_strategy) {
  ASSERT_TRUE(describe_balancer("cwa").guarantees.honours_capacities);
  const task_graph program = spawned(std::vector<double>(12, ms), {});
  what_if on = free_machine("cube:2", "cwa");
  on.capacities = {1, 0.5};
  on.pulls = false;
  const result told = replay(program, on);
  EXPECT_EQ(told.tasks_moved, 4U);
  EXPECT_NEAR(told.makespan, 8 * ms, 1e-6);
  on.speeds_known = false;
  EXPECT_GE(replay(program, on).tasks_moved, 6U);  // and some of them back, when node 0 runs dry
}

trace grouped() {
  trace t;
  t.workload = "groups";
  t.topology = "cube:2";
  t.makespan = 100;
  t.tasks.push_back({no_task, 0, 0, 0, 0, 100});
  // Spawned in the order 3, 2, 1, and 4 in a group of its own; 5 is a fork.
  for (const std::uint64_t spawned : {30U, 20U, 10U}) {
    t.tasks.push_back({0, 0, spawned, 0, 50, 60, 1, 0});
  }
  t.tasks.push_back({0, 0, 25, 0, 50, 60, traces::no_home, 1});
  t.tasks.push_back({0, 0, 26, 0, 50, 60});
  t.waits = {{0, 40, 90, 0}, {0, 91, 92, 1}, {0, 92, 93}};
  return t;
}

TEST(what_if_machines, groups_are_placed_anew_in_the_order_of_their_spawns) {
  const trace t = grouped();
  task_graph program = program_of(t);
  EXPECT_EQ(program.home(1), 1U);
  place_groups(program, t, [](std::size_t index) { return std::optional<node_id>(7 + index); });
  EXPECT_EQ(program.home(3), 7U);
  EXPECT_EQ(program.home(2), 8U);
  EXPECT_EQ(program.home(1), 9U);
  EXPECT_EQ(program.home(4), 7U);
  EXPECT_EQ(program.home(5), task_graph::no_home);
  EXPECT_EQ(program.group(1), 0U);
  EXPECT_EQ(program.group(4), 1U);
  place_groups(program, t, [](std::size_t) { return std::optional<node_id>(); });
  EXPECT_EQ(program.home(1), task_graph::no_home);
}

}  // namespace
}  // namespace evencube::simulator
