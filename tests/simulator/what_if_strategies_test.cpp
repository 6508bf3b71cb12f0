// Replays under every strategy there is.
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evencube::simulator {
namespace {

/// `count` tasks of 100 us that a root on worker 0 spawns and waits for.
trace all_on_one(std::uint32_t count, const std::string& topology) {
  trace t;
  t.workload = "many";
  t.topology = topology;
  t.makespan = std::uint64_t{count} * 100'000;
  t.tasks.push_back({no_task, 0, 0, 0, 0, t.makespan});
  for (std::uint32_t i = 0; i < count; ++i) {
    t.tasks.push_back({0, 0, 0, 0, i * 100'000, (i + 1) * 100'000});
  }
  t.waits = {{0, 0, t.makespan}};
  return t;
}

result replay_under(const std::string& balancer, const trace& t) {
  what_if one = recorded_configuration(t);
  one.balancer = balancer;
  return replay(program_of(t), one);
}

std::vector<std::string> event_driven() {
  std::vector<std::string> names;
  for (const balancer_descriptor& about : registered_balancers()) {
    if (about.event_driven) names.push_back(about.name);
  }
  return names;
}

/// Takes one task of its fullest neighbour, and only if it is activated alone.
class activated_only final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "activated_only"; }
  void make_plan(const balance_request& request, plan& out) const override {
    out.phases.clear();
    if (!request.initiator) return;
    const node_id k = *request.initiator;
    node_id best = k;
    request.graph.for_each_neighbour(k, [&](node_id other) {
      if (request.loads[other] > request.loads[best]) best = other;
    });
    if (request.loads[best] > request.loads[k] + 1) out.phases = {{{best, k, 1}}};
  }
};

TEST(what_if_strategies, every_balancer_is_replayed_to_the_end) {
  const trace t = all_on_one(64, "cube:4");
  const double alone = replay_under("none", t).makespan;
  EXPECT_NEAR(alone, 6.4e-3, 1e-5);
  for (const balancer_descriptor& about : registered_balancers()) {
    const result r = replay_under(about.name, t);
    EXPECT_EQ(r.completed, 65U) << about.name;
    if (about.name == "none") continue;
    EXPECT_GT(r.tasks_moved, 0U) << about.name;
    EXPECT_LT(r.makespan, 0.6 * alone) << about.name;
    EXPECT_EQ(r.hash, replay_under(about.name, t).hash) << about.name;
  }
}

// All are told the truth about speeds or nothing: none refuses.
TEST(what_if_strategies, every_balancer_is_replayed_on_unequal_workers) {
  trace t = all_on_one(32, "cube:4");
  for (const balancer_descriptor& about : registered_balancers()) {
    what_if one = recorded_configuration(t);
    one.balancer = about.name;
    one.capacities = {1, 2, 1, 0.5};
    EXPECT_EQ(replay(program_of(t), one).completed, 33U) << about.name;
  }
}

// A plan for all nodes at once would do what no round on threads does: they are activated one by
// one, those without load first.
TEST(what_if_strategies, event_driven_ones_are_activated_node_by_node) {
  balancer_descriptor about;
  about.name = "activated_only";
  about.event_driven = true;
  about.make = [](const balancer_options&) { return std::make_unique<activated_only>(); };
  register_balancer(about);
  const trace t = all_on_one(64, "star:4");
  const result r = replay_under("activated_only", t);
  // Without plans the idle leaves would pull half of the queue each: few, large moves.
  EXPECT_GE(r.tasks_moved, 40U);
  EXPECT_NEAR(r.makespan, 1.6e-3, 0.2e-3);
}

// A node that is overloaded acts before anybody runs dry.
TEST(what_if_strategies, a_long_queue_activates_its_node) {
  trace t = all_on_one(1000, "cube:2");
  // Worker 1 has its own work for the first 10 ms.
  t.tasks.push_back({no_task, 1, 0, 1, 0, 10'000'000});
  for (const std::string& name : event_driven()) {
    if (name == "receiver_initiated" || name == "dispatcher") continue;  // the light ones ask
    const result r = replay_under(name, t);
    EXPECT_LT(r.makespan, 0.06) << name;
  }
  EXPECT_GT(replay_under("sender_initiated", t).rounds, replay_under("oem", t).rounds);
}

/// A task that spawns tasks of one group, so long each, and waits for them.
task_graph group_of(const std::vector<double>& demands, const std::vector<std::uint32_t>& quanta) {
  task_graph program;
  std::vector<task_graph::step> steps;
  for (task_id i = 1; i <= demands.size(); ++i) steps.push_back({0, i, task_graph::action::spawn});
  steps.push_back({0, 0, task_graph::action::wait});
  steps.push_back({0, no_task, task_graph::action::end});
  program.add(steps);
  for (const double demand : demands) {
    program.add(std::vector{task_graph::step{demand, no_task, task_graph::action::end}});
  }
  for (task_id i = 1; i <= demands.size(); ++i) {
    program.place(i, task_graph::no_home, 0);
    program.weigh(i, quanta[i - 1]);
  }
  program.add_root({0, 0, 0});
  return program;
}

what_if pulls_alone(const char* topology) {
  what_if one;
  one.balancer = "oem";
  one.rounds = false;
  one.topology = topology;
  one.costs = {};
  return one;
}

// 16 tasks of 100 us on the end of a line of four: who is no neighbour takes some, too, one at a
// time, all at once. Of short ones half.
TEST(what_if_strategies, idle_workers_take_of_the_heaviest_wherever_it_is) {
  const std::vector<std::uint32_t> alike(16, 1);
  const result of_long = replay(group_of(std::vector(16, 1e-4), alike), pulls_alone("linear:4"));
  EXPECT_NEAR(of_long.makespan, 4e-4, 1e-6);
  EXPECT_EQ(of_long.tasks_moved, 12U);
  EXPECT_EQ(of_long.rounds, 0U);
  const result of_short = replay(group_of(std::vector(16, 1e-6), alike), pulls_alone("linear:4"));
  EXPECT_NEAR(of_short.makespan, 4e-6, 1e-7);
  EXPECT_GT(of_short.tasks_moved, 12U);  // some of them twice
}

// What it takes to look at a load is paid for each that is looked at, by who looks.
TEST(what_if_strategies, a_look_at_all_loads_takes_time) {
  what_if one = pulls_alone("cube:8");
  const task_graph program = group_of(std::vector(64, 1e-4), std::vector<std::uint32_t>(64, 1));
  const double free = replay(program, one).makespan;
  one.costs.costs.measure = 1e-6;
  // Eight tasks each, before each of which seven of the eight workers look at eight loads.
  EXPECT_NEAR(replay(program, one).makespan - free, 8 * 8e-6, 1e-5);
}

// Seven workers have had nothing to do for `idle` seconds when a task of 5 us is spawned.
TEST(what_if_strategies, who_searches_is_quicker_than_who_is_woken) {
  const auto ends = [](const char* balancer, double idle) {
    using step = task_graph::step;
    task_graph program;
    program.add(std::vector{step{idle, 1, task_graph::action::spawn},
                            step{5e-6, no_task, task_graph::action::end}});
    program.add(std::vector{step{5e-6, no_task, task_graph::action::end}});
    program.place(1, task_graph::no_home, task_graph::no_group);
    program.add_root({0, 0, 0});
    what_if one = pulls_alone("cube:8");
    one.balancer = balancer;
    one.costs.costs.measure = 0.1e-6;
    one.costs.links.latency = 1e-6;
    return replay(program, one).makespan - idle;
  };
  const double search = 8 * 0.1e-6;                             // a look at each of eight
  EXPECT_NEAR(ends("oem", 10e-6), search / 7 + 5e-6, 1e-9);     // the first of seven
  EXPECT_NEAR(ends("oem", 30e-6), search + 1e-6 + 5e-6, 1e-9);  // asleep: wakes up, looks at all
  // One queue of eight has a task: the eighth draw, in the mean.
  EXPECT_NEAR(ends("random_stealing", 10e-6), search / 7 + 5e-6, 1e-9);
  EXPECT_NEAR(ends("random_stealing", 30e-6), search + 1e-6 + 5e-6, 1e-9);
}

// Ten tasks of 100 us and one of 500 that was spawned in their midst: last, or first.
TEST(what_if_strategies, the_largest_begin_first) {
  std::vector<double> demands(11, 1e-4);
  std::vector<std::uint32_t> quanta(11, 1);
  demands[5] = 5e-4;
  quanta[5] = 5;
  what_if one = pulls_alone("cube:2");
  EXPECT_NEAR(replay(group_of(demands, quanta), one).makespan, 8e-4, 1e-6);
  one.largest_first = false;
  EXPECT_NEAR(replay(group_of(demands, quanta), one).makespan, 1e-3, 1e-6);
  // Nobody knows that it is long.
  one.largest_first = true;
  EXPECT_NEAR(replay(group_of(demands, std::vector<std::uint32_t>(11, 1)), one).makespan, 1e-3,
              1e-6);
}

}  // namespace
}  // namespace evencube::simulator
