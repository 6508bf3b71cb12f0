#include <array>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::simulator {
namespace {

using action = task_graph::action;
using step = task_graph::step;

result run_on(const topology& graph, const task_graph& program) {
  model m;
  m.graph = &graph;
  m.order = queue_order::lifo;
  m.program = &program;
  return simulate(m, 1);
}

TEST(task_graph_execution, one_node_needs_the_sum_of_all_demands) {
  const topology one = topology::complete(1);
  for (const unsigned fanout : {1U, 2U, 3U}) {
    const task_graph tree = task_graph::tree(6, fanout, distribution::uniform(0, 2), 3);
    const result r = run_on(one, tree);
    EXPECT_NEAR(r.makespan, tree.total_demand(), 1e-9 * tree.total_demand());
    EXPECT_EQ(r.completed, tree.size());
    EXPECT_FALSE(r.partial);
  }
}

// Parent: 1, spawn A (5), 2, wait, 3. The wait lets A run; the parent goes on when A is done.
TEST(task_graph_execution, a_wait_lets_the_child_run_first) {
  task_graph program;
  program.add(std::array{step{1, 1, action::spawn}, step{2, no_task, action::wait},
                         step{3, no_task, action::end}});
  program.add(std::array{step{5, no_task, action::end}});
  program.add_root({0, 0, 0});
  EXPECT_DOUBLE_EQ(run_on(topology::complete(1), program).makespan, 11);
  EXPECT_DOUBLE_EQ(program.critical_path(), 1 + 5 + 3);
}

TEST(task_graph_execution, a_varied_program_is_the_same_but_for_its_times) {
  const task_graph tree = task_graph::tree(6, 3, distribution::constant(1), 3);
  const auto factor = distribution::uniform(0.9, 1.1);
  const task_graph varied = tree.varied(factor, 5);
  ASSERT_EQ(varied.size(), tree.size());
  double least = 2;
  double most = 0;
  for (task_id task = 0; task < tree.size(); ++task) {
    ASSERT_EQ(varied.steps(task).size(), tree.steps(task).size());
    // All computations of one task vary in the same proportion.
    const double drawn = varied.steps(task).back().demand / tree.steps(task).back().demand;
    for (std::size_t i = 0; i < tree.steps(task).size(); ++i) {
      EXPECT_DOUBLE_EQ(varied.steps(task)[i].demand, drawn * tree.steps(task)[i].demand);
      EXPECT_EQ(varied.steps(task)[i].child, tree.steps(task)[i].child);
    }
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_GE(least, 0.9);
  EXPECT_LT(least, 0.91);
  EXPECT_LE(most, 1.1);
  EXPECT_GT(most, 1.09);
  EXPECT_NEAR(varied.total_demand(), tree.total_demand(), 0.01 * tree.total_demand());
  EXPECT_EQ(varied.total_demand(), tree.varied(factor, 5).total_demand());
  EXPECT_NE(varied.total_demand(), tree.varied(factor, 6).total_demand());
}

TEST(task_graph_execution, a_child_nobody_waits_for_is_run_all_the_same) {
  task_graph program;
  program.add(std::array{step{1, 1, action::spawn}, step{1, no_task, action::end}});
  program.add(std::array{step{4, no_task, action::end}});
  program.add_root({2, 0, 0});
  const result r = run_on(topology::complete(1), program);
  EXPECT_EQ(r.completed, 2U);
  EXPECT_DOUBLE_EQ(r.makespan, 2 + 1 + 1 + 4);
  EXPECT_DOUBLE_EQ(program.critical_path(), 2 + 1 + 4);
  EXPECT_THAT(program.critical_tasks(), testing::ElementsAre(0, 1));
}

// Root: 1, spawn 1 (9, and a child of 2 that no task waits for), 5, spawn 2 (4), wait, 1, spawn 3
// (1), wait, 1. The waits for the second and the third child are too short to matter.
TEST(task_graph_execution, the_critical_path_leaves_out_what_nobody_was_held_up_by) {
  using enum task_graph::action;
  task_graph program;
  program.add(std::array{step{1, 1, spawn}, step{5, 2, spawn}, step{0, no_task, wait},
                         step{1, 3, spawn}, step{2, no_task, wait}, step{1, no_task, end}});
  program.add(std::array{step{6, 4, spawn}, step{3, no_task, end}});
  program.add(std::array{step{4, no_task, end}});
  program.add(std::array{step{1, no_task, end}});
  program.add(std::array{step{2, no_task, end}});
  program.add_root({0, 0, 0});
  EXPECT_DOUBLE_EQ(program.critical_path(), 1 + 9 + 1 + 2 + 1);
  EXPECT_THAT(program.critical_tasks(), testing::ElementsAre(0, 1));
}

// The chain of a tree whose demands are all different has one task of each level.
TEST(task_graph_execution, the_critical_path_of_a_tree_goes_down_once) {
  const auto tree = task_graph::tree(5, 3, distribution::uniform(1, 2), 7);
  const auto tasks = tree.critical_tasks();
  EXPECT_EQ(tasks.size(), 6U);
  EXPECT_EQ(tasks.front(), 0U);
  double computed = 0;
  for (const task_id task : tasks) {
    for (const step& s : tree.steps(task)) computed += s.demand;
  }
  // Other work of the chain's tasks, which first spawned others, is not on the chain.
  EXPECT_GE(computed, tree.critical_path() - 1e-9);
}

TEST(task_graph_execution, roots_on_different_nodes_run_side_by_side) {
  task_graph program;
  for (int i = 0; i < 2; ++i) program.add(std::array{step{4, no_task, action::end}});
  program.add_root({0, 0, 0});
  program.add_root({1, 1, 1});
  EXPECT_DOUBLE_EQ(run_on(topology::complete(2), program).makespan, 5);
  EXPECT_DOUBLE_EQ(run_on(topology::complete(1), program).makespan, 8);
}

TEST(task_graph_validity, says_what_is_wrong) {
  const auto message_of = [](auto&& build) -> std::string {
    task_graph program;
    try {
      build(program);
      program.validate();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "accepted";
  };
  using testing::HasSubstr;
  EXPECT_THAT(message_of([](auto& p) { p.add(std::array{step{-1, no_task, action::end}}); }),
              HasSubstr("demand -1"));
  EXPECT_THAT(message_of([](auto& p) { p.add(std::array{step{1, no_task, action::wait}}); }),
              HasSubstr("must end"));
  EXPECT_THAT(message_of([](auto& p) { p.add(std::array{step{1, no_task, action::end}}); }),
              HasSubstr("task 0 is neither"));
  EXPECT_THAT(message_of([](auto& p) {
                p.add(std::array{step{1, 7, action::spawn}, step{0, no_task, action::end}});
                p.add_root({0, 0, 0});
              }),
              HasSubstr("names task 7"));
  EXPECT_THAT(message_of([](auto& p) {
                p.add(std::array{step{1, no_task, action::end}});
                p.add_root({0, 0, 0});
                p.add_root({1, 0, 0});
              }),
              HasSubstr("started twice"));
}

}  // namespace
}  // namespace evencube::simulator
