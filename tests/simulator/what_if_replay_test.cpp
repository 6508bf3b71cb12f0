#include <cmath>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../trace/sample_trace.hpp"

namespace evencube::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using traces::sample_trace;

TEST(what_if_program, keeps_computing_apart_from_waiting) {
  const task_graph program = program_of(sample_trace());
  ASSERT_EQ(program.size(), 4U);
  // 5 us, spawn 1, 5 us, spawn 2, wait, 5 us.
  const auto steps = program.steps(0);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_NEAR(steps[0].demand, 5e-6, 1e-15);
  EXPECT_EQ(steps[0].child, 1U);
  EXPECT_NEAR(steps[1].demand, 5e-6, 1e-15);
  EXPECT_EQ(steps[1].child, 2U);
  EXPECT_EQ(steps[2].then, task_graph::action::wait);
  EXPECT_NEAR(steps[3].demand, 5e-6, 1e-15);
  EXPECT_NEAR(program.total_demand(), (15 + 20 + 15 + 20) * 1e-6, 1e-12);
  EXPECT_NO_THROW(program.validate());
}

TEST(what_if_replay, one_worker_runs_everything_in_turn) {
  what_if alone;
  alone.topology = "complete:1";
  const result r = replay(program_of(sample_trace()), alone);
  EXPECT_NEAR(r.makespan, 70e-6, 1e-12);
}

TEST(what_if_replay, the_recorded_configuration_is_forecast) {
  const result r = replay(program_of(sample_trace()), recorded_configuration(sample_trace()));
  // Task 1 waits from 5 us on, moves at once and ends at 26 us; task 0 at 31; task 3 at 60.
  EXPECT_NEAR(r.makespan, 60e-6, 1e-7);
  EXPECT_EQ(r.tasks_moved, 1U);
  EXPECT_LT(forecast_error(sample_trace()), 0.01);
}

// Task 1 moves because a round sends it, or because worker 1 takes it.
TEST(what_if_replay, who_planned_is_as_recorded) {
  const auto moved = [](const trace& t) {
    return replay(program_of(t), recorded_configuration(t)).tasks_moved;
  };
  trace t = sample_trace();
  t.rounds = {};
  t.migrations = {};
  EXPECT_EQ(moved(t), 1U);
  t.mode = "on_demand";
  EXPECT_EQ(moved(t), 1U);
  t.pulls = false;
  EXPECT_EQ(moved(t), 0U);
  t.mode = "on_idle";
  EXPECT_EQ(moved(t), 1U);
  t.threshold = 9;
  EXPECT_EQ(recorded_configuration(t).threshold, 9);
  EXPECT_FALSE(recorded_configuration(t).by_thread);
  t.mode = "thread";
  t.period = 500'000;
  EXPECT_TRUE(recorded_configuration(t).by_thread);
  EXPECT_DOUBLE_EQ(recorded_configuration(t).period, 500e-6);
  EXPECT_EQ(moved(t), 1U);
  // A clock of a hostile file, that would call for days.
  what_if often = recorded_configuration(t);
  often.period = 1e-15;
  const auto refusal = [](const trace& of, const what_if& how) -> std::string {
    try {
      static_cast<void>(replay(program_of(of), how));
    } catch (const std::invalid_argument& said) {
      return said.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal(t, often).find("at most 10000000 rounds may be called by the clock"),
            std::string::npos);
  EXPECT_TRUE(recorded_configuration(t).rounds);
}

TEST(what_if_replay, transmissions_are_those_of_runtimes) {
  trace t = sample_trace();
  for (const char* const batched : {"pipelined", "pipelined:1", "pipelined:1000000000"}) {
    t.transmission = batched;
    EXPECT_EQ(recorded_configuration(t).transmission, transmission::pipelined) << batched;
  }
  for (const char* const unknown :
       {"", "pipelined:", "pipelined:-1", "pipelined:1x", "phased:1", "pipelined1"}) {
    t.transmission = unknown;
    EXPECT_THROW(static_cast<void>(recorded_configuration(t)), std::invalid_argument) << unknown;
  }
}

TEST(what_if_replay, speeds_and_missing_balancers_show) {
  const task_graph program = program_of(sample_trace());
  what_if other = recorded_configuration(sample_trace());
  other.capacities = {2, 2};
  EXPECT_LT(replay(program, other).busy,
            replay(program, recorded_configuration(sample_trace())).busy);
  other.capacities = {};
  other.balancer = "none";
  EXPECT_EQ(replay(program, other).tasks_moved, 0U);
  other.balancer = "magic";
  EXPECT_THROW((void)replay(program, other), std::invalid_argument);
}

// Task 0 forks 1 and, before it has waited for 1, forks 2 and waits for that alone: then it has
// another 10 us to compute while 1, twice as long, runs elsewhere.
TEST(what_if_replay, a_wait_for_one_fork_is_not_for_the_others) {
  trace t = sample_trace();
  t.tasks = {{no_task, 0, 0, 0, 0, 30'000},
             {0, 0, 0, 1, 0, 20'000, task_graph::no_home, 1},
             {0, 0, 0, 0, 0, 10'000, task_graph::no_home, 2}};
  t.waits = {{0, 0, 10'000, 2}, {0, 20'000, 20'000, 1}};
  t.migrations = {};
  t.rounds = {};
  t.makespan = 30'000;
  EXPECT_NEAR(replay(program_of(t), recorded_configuration(t)).makespan, 30e-6, 2e-6);
  // Waiting for all would take 20 us first, then 20.
  for (auto& task : t.tasks) task.group = task_graph::no_group;
  for (auto& wait : t.waits) wait.group = task_graph::no_group;
  EXPECT_GT(replay(program_of(t), recorded_configuration(t)).makespan, 38e-6);
}

TEST(what_if_replay, tasks_begin_at_their_homes) {
  trace t = sample_trace();
  t.tasks[1].home = 1;
  t.balancer = "none";
  t.rounds = {};
  t.migrations = {};
  const result r = replay(program_of(t), recorded_configuration(t));
  EXPECT_EQ(r.tasks_moved, 0U);
  EXPECT_NEAR(r.makespan, 60e-6, 1e-7);
  t.tasks[1].home = 0;
  // Tasks 0, 1 and 2 in turn on worker 0 take 50 us, task 3 is as before.
  EXPECT_NEAR(replay(program_of(t), recorded_configuration(t)).busy, 35e-6, 1e-9);
}

TEST(what_if_program, costs_are_those_of_the_trace) {
  task_graph program = program_of(sample_trace());
  EXPECT_EQ(program.quanta(2), 1);
  EXPECT_EQ(program.quanta(3), 3);
  EXPECT_EQ(program.quanta(1000), 1);
  EXPECT_TRUE(program.weighed());
  trace alike = sample_trace();
  for (trace::task& t : alike.tasks) t.cost = 1;
  EXPECT_FALSE(program_of(alike).weighed());
  EXPECT_THROW(program.weigh(1, 0), std::invalid_argument);
  EXPECT_THROW(program.weigh(1, 65537), std::invalid_argument);
}

TEST(what_if_replay, random_stealing_moves_one_task_to_the_idle_worker) {
  what_if other = recorded_configuration(sample_trace());
  other.balancer = "random_stealing";
  const result r = replay(program_of(sample_trace()), other);
  EXPECT_EQ(r.tasks_moved, 1U);
  EXPECT_NEAR(r.makespan, 60e-6, 1e-7);
}

// What the machine that recorded charges is charged again.
TEST(what_if_replay, costs_come_from_the_trace) {
  trace t = sample_trace();
  t.costs = {};
  const double free = replay(program_of(t), recorded_configuration(t)).makespan;
  EXPECT_NEAR(free, 60e-6, 2e-9);
  // Task 3 comes to worker 1 at 40 us, 14 us after the end of task 1: it does not sleep yet.
  t.costs.links.latency = 5e-6;
  EXPECT_DOUBLE_EQ(replay(program_of(t), recorded_configuration(t)).makespan, free);
  t.tasks[3].spawned = t.tasks[3].started = 50'000;
  t.tasks[3].ended = t.makespan = 70'000;
  EXPECT_NEAR(replay(program_of(t), recorded_configuration(t)).makespan, 75e-6, 2e-9);
  // Beginning a task costs something each time: one worker runs four.
  what_if alone = recorded_configuration(t);
  alone.topology = "complete:1";
  const double before = replay(program_of(t), alone).makespan;
  t.costs.costs.receive = 1e-6;
  EXPECT_NEAR(replay(program_of(t), alone).makespan, before + 4e-6, 1e-12);
}

// Between two tasks of one queue lies what the machine needs to go from one to the next.
TEST(what_if_replay, time_between_tasks_is_taken_from_the_trace) {
  trace t = sample_trace();
  t.tasks = {{no_task, 0, 0, 0, 0, 44'000}};
  t.waits = {{0, 0, 44'000}};
  t.migrations = {};
  t.rounds = {};
  for (std::uint64_t i = 0; i < 40; ++i) {
    t.tasks.push_back({0, 0, 0, 0, i * 1100, i * 1100 + 1000});
  }
  t.makespan = 44'000;
  what_if alone = recorded_configuration(t);
  alone.topology = "complete:1";
  EXPECT_NEAR(replay(program_of(t), alone).makespan, 44.1e-6, 1e-9);
  // A gap in which the spawner computes, or the task is not there yet, says nothing.
  for (std::uint64_t i = 1; i < 40; ++i) t.tasks[i + 1].spawned = i * 1100 - 50;
  EXPECT_NEAR(program_of(t).total_demand(), 40e-6, 1e-9);
}

TEST(what_if_replay, planning_and_moving_take_time) {
  trace t = sample_trace();
  t.tasks.pop_back();  // what comes later hides when task 1 ends
  t.costs = {};
  const double free = replay(program_of(t), recorded_configuration(t)).makespan;
  t.costs.costs.measure = 1e-6;
  t.costs.costs.transfer_send = t.costs.costs.transfer_receive = 0.25e-6;
  // Two workers are looked at, one task is moved.
  EXPECT_NEAR(replay(program_of(t), recorded_configuration(t)).makespan, free + 2.5e-6, 1e-8);
}

TEST(what_if_replay, a_program_that_waits_for_itself_is_refused) {
  trace t = sample_trace();
  t.tasks[0].group = 0;
  const auto refusal = [&]() -> std::string {
    try {
      (void)replay(program_of(t), recorded_configuration(t));
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "none";
  };
  EXPECT_THAT(refusal(), HasSubstr("never ends"));
  // Nor does the clock go on for it, which would call ten million times.
  t.mode = "thread";
  t.period = 1'000'000;
  EXPECT_THAT(refusal(), HasSubstr("never ends"));
}

TEST(what_if_rounds, plans_come_out_again) {
  trace recorded = sample_trace();
  EXPECT_EQ(check_rounds(recorded).equal, 1U);
  recorded.rounds.push_back(recorded.rounds[0]);
  recorded.rounds[1].planned.phases = {{{0, 1, 2}}};
  const round_check found = check_rounds(recorded);
  EXPECT_EQ(found.rounds, 2U);
  EXPECT_THAT(found.different, ElementsAre(1));
}

// The same round where each task costs 50, planned in tasks.
TEST(what_if_rounds, plans_in_tasks_come_out_again) {
  trace recorded = sample_trace();
  trace::round& r = recorded.rounds[0];
  r.unit = 50;
  for (load_type& load : r.loads) load *= r.unit;
  for (phase& one : r.planned.phases) {
    for (transfer& t : one) t.quanta *= r.unit;
  }
  EXPECT_EQ(check_rounds(recorded).equal, 1U);
}

}  // namespace
}  // namespace evencube::simulator
