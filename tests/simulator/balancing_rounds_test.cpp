#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::simulator {
namespace {

// The loads of Rim et al. 2003, Fig. 18.
struct figure_18 {
  topology cube = topology::hypercube(3);
  std::unique_ptr<balancer> dem = make_balancer("dem");
  model m;
  figure_18() {
    m.graph = &cube;
    m.initial = {15, 1, 1, 1, 1, 1, 1, 1};
    m.service = distribution::constant(1);
    m.balance.strategy = dem.get();
    m.balance.when.which = trigger::kind::start;
    m.balance.held = true;
  }
};

TEST(balancing_rounds, free_transfers_leave_the_planned_loads) {
  const figure_18 f;
  const result r = simulate(f.m, 1);
  EXPECT_EQ(r.completed, 22U);
  EXPECT_EQ(r.rounds, 1U);
  EXPECT_DOUBLE_EQ(r.difference_before, 14);
  EXPECT_DOUBLE_EQ(r.planned_difference, 1);
  EXPECT_DOUBLE_EQ(r.makespan, 3);  // final loads 3,3,3,3,3,3,2,2
  EXPECT_DOUBLE_EQ(r.t_comm, 12);
  EXPECT_EQ(r.tasks_moved, 19U);  // task-hops of the figure
  EXPECT_EQ(r.shortfall, 0U);
}

// Held execution: every task starts when the last unit has landed. With one unit of time per unit
// moved, that is the transmission's cost.
TEST(balancing_rounds, holding_execution_adds_the_transmission_to_the_makespan) {
  figure_18 f;
  f.m.links.per_quantum = 1;
  for (const auto& [how, cost] :
       {std::pair{transmission::phased, 12.0}, std::pair{transmission::overlapped, 10.0},
        std::pair{transmission::pipelined, 7.0}}) {
    f.m.balance.transmission = how;
    const result r = simulate(f.m, 1);
    EXPECT_DOUBLE_EQ(r.makespan, cost + 3) << to_string(how);
    EXPECT_DOUBLE_EQ(r.stabilised, cost) << to_string(how);
    EXPECT_DOUBLE_EQ(r.overhead, cost) << to_string(how);
    EXPECT_EQ(r.shortfall, 0U) << to_string(how);
  }
}

TEST(balancing_rounds, latency_is_paid_per_step) {
  figure_18 f;
  f.m.links = {.latency = 0.5, .per_quantum = 1};
  EXPECT_DOUBLE_EQ(simulate(f.m, 1).stabilised, 12 + 3 * 0.5);
}

// One port: node 0 sends its 7 + 3 + 2 units one after the other, and forwarding cannot overlap.
TEST(balancing_rounds, one_port_is_never_faster_than_all_ports) {
  figure_18 f;
  f.m.links.per_quantum = 1;
  f.m.balance.transmission = transmission::direct;
  const double all_ports = simulate(f.m, 1).stabilised;
  f.m.links.one_port = true;
  const double one_port = simulate(f.m, 1).stabilised;
  EXPECT_DOUBLE_EQ(all_ports, 2);
  EXPECT_DOUBLE_EQ(one_port, 12);  // all twelve units leave node 0
}

TEST(balancing_rounds, running_on_takes_less_time_than_holding) {
  figure_18 f;
  f.m.initial.assign(8, 20);
  f.m.initial[0] = 220;
  f.m.links.per_quantum = 0.01;
  const double held = simulate(f.m, 1).makespan;
  f.m.balance.held = false;
  const result running = simulate(f.m, 1);
  EXPECT_LT(running.makespan, held);
  EXPECT_EQ(running.completed, 360U);
  EXPECT_DOUBLE_EQ(running.overhead, 0);
}

TEST(balancing_rounds, costs_of_messages_and_transfers_are_taken_from_the_processors) {
  figure_18 f;
  f.m.balance.held = false;
  f.m.balance.informed = information::neighbours;
  f.m.costs = {
      .measure = 0.1, .send = 0.01, .receive = 0.02, .transfer_send = 0.3, .transfer_receive = 0.4};
  const result r = simulate(f.m, 1);
  EXPECT_EQ(r.messages, 24U);
  const double expected =
      8 * 0.1 + 24 * (0.01 + 0.02) + static_cast<double>(r.tasks_moved) * (0.3 + 0.4);
  EXPECT_NEAR(r.overhead * 8, expected, 1e-9);
  EXPECT_EQ(r.completed, 22U);
}

// One message that all hear: a node sends once, however many there are.
TEST(balancing_rounds, an_announcement_is_sent_once_and_received_by_all) {
  figure_18 f;
  f.m.initial.assign(8, 3);
  f.m.balance.held = false;
  f.m.costs = {.measure = 0.1, .send = 0.01, .receive = 0.02};
  f.m.balance.informed = information::announced;
  const result announced = simulate(f.m, 1);
  EXPECT_EQ(announced.messages, 8U);
  EXPECT_NEAR(announced.overhead, 0.1 + 0.01 + 7 * 0.02, 1e-12);
  f.m.balance.informed = information::broadcast;
  const result broadcast = simulate(f.m, 1);
  EXPECT_EQ(broadcast.messages, 56U);
  EXPECT_NEAR(broadcast.overhead, 0.1 + 7 * (0.01 + 0.02), 1e-12);
}

// On a line a direct transfer from one end to the other crosses the nodes between.
TEST(balancing_rounds, nodes_that_a_direct_transfer_crosses_pay_for_passing_it_on) {
  const topology line = topology::linear(4);
  const auto dispatcher = make_balancer("dispatcher", {{"low", "1"}, {"portion", "0.5"}});
  model m;
  m.graph = &line;
  m.initial = {9, 9, 9, 0};
  m.initial[0] = 21;
  m.service = distribution::constant(100);
  m.costs.transfer_send = 0.5;
  m.balance.strategy = dispatcher.get();
  m.balance.when.which = trigger::kind::start;
  m.balance.transmission = transmission::direct;
  const result free = simulate(m, 1);
  ASSERT_EQ(free.tasks_moved, 10U);  // half of 21, from node 0 to node 3 over two others
  EXPECT_NEAR(free.overhead * 4, 10 * 0.5, 1e-9);
  EXPECT_NEAR(free.stabilised, 5, 1e-9);
  m.balance.relay = 0.25;
  const result paid = simulate(m, 1);
  EXPECT_NEAR(paid.overhead * 4, 10 * 0.5 + 2 * 10 * 0.25, 1e-9);
  m.balance.relay = 1;
  EXPECT_NEAR(simulate(m, 1).stabilised, 10, 1e-9) << "a node between needs longer than the ends";
  m.balance.held = true;
  EXPECT_THROW((void)simulate(m, 1), std::invalid_argument);
}

// Distances to light nodes are told when they change: on a line of four with the last node light,
// 0 1 2 3 from the end; a node at the diameter has nothing to tell.
TEST(balancing_rounds, changes_of_distances_to_light_nodes_are_paid_for) {
  const topology line = topology::linear(4);
  const auto gradient = make_balancer("gradient", {{"low", "2"}, {"high", "1000"}});
  model m;
  m.graph = &line;
  m.initial = {9, 9, 9, 1};
  m.service = distribution::constant(1);
  m.costs = {.measure = 0.1, .send = 0.001, .receive = 0.002};
  m.horizon = 0.5;
  m.balance.strategy = gradient.get();
  m.balance.by_node = true;
  m.balance.when = {.which = trigger::kind::threshold, .high = 1000};
  m.balance.informed = information::proximity;
  m.balance.light_below = 2;
  const result begun = simulate(m, 1);
  EXPECT_EQ(begun.messages, 1U + 2 + 2);  // nodes 3, 2 and 1 tell 1, 2 and 2 neighbours
  EXPECT_NEAR(begun.overhead * 4, 5 * 0.003, 1e-12);
  // Nobody is light: nobody tells anything, until the queues have shrunk.
  m.initial = {9, 9, 9, 9};
  EXPECT_EQ(simulate(m, 1).messages, 0U);
  m.horizon = 20;
  EXPECT_GT(simulate(m, 1).messages, 0U);
  m.balance.by_node = false;
  EXPECT_THROW((void)simulate(m, 1), std::invalid_argument) << "not for rounds";
}

// The same tasks for the same seed, others for others, and none that cannot be.
TEST(balancing_rounds, initial_loads_may_be_drawn_for_each_seed) {
  figure_18 f;
  f.m.draw_initial = [](std::uint64_t seed) {
    return std::vector<load_type>(8, static_cast<load_type>(seed % 5));
  };
  EXPECT_EQ(simulate(f.m, 3).arrived, 24U);
  EXPECT_EQ(simulate(f.m, 4).arrived, 32U);
  f.m.draw_initial = [](std::uint64_t) { return std::vector<load_type>(7, 1); };
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument);
  f.m.draw_initial = [](std::uint64_t) { return std::vector<load_type>(8, -1); };
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument);
}

// Interrupted tasks go on where they stopped: holding costs its own time and no more.
TEST(balancing_rounds, holding_loses_no_work) {
  figure_18 f;
  f.m.initial.assign(8, 10);
  f.m.service = distribution::constant(1);
  f.m.costs.measure = 0.25;
  f.m.balance.when = {.which = trigger::kind::period, .period = 3.4, .most_rounds = 2};
  const result r = simulate(f.m, 1);
  EXPECT_NEAR(r.makespan, 10 + 2 * 0.25, 1e-12);
  EXPECT_NEAR(r.overhead, 2 * 0.25, 1e-12);
  EXPECT_NEAR(r.work, 80, 1e-12);
  EXPECT_NEAR(r.busy, 10, 1e-12);
}

TEST(balancing_rounds, periods_make_as_many_rounds_as_fit) {
  figure_18 f;
  f.m.initial.assign(8, 10);
  f.m.balance.when = {.which = trigger::kind::period, .period = 2.5};
  EXPECT_EQ(simulate(f.m, 1).rounds, 4U);  // at 2.5, 5, 7.5 and 10, when the last tasks end
  f.m.balance.when.most_rounds = 2;
  EXPECT_EQ(simulate(f.m, 1).rounds, 2U);
}

TEST(balancing_rounds, utilisation_triggers_only_above_its_level) {
  figure_18 f;
  f.m.initial.assign(8, 4);
  f.m.balance.when = {.which = trigger::kind::utilisation, .period = 1, .level = 0.9};
  EXPECT_GE(simulate(f.m, 1).rounds, 4U);
  f.m.initial.clear();
  f.m.arrivals = {.which = arrival_process::kind::poisson, .rate = 0.05};
  f.m.service = distribution::constant(0.1);
  f.m.horizon = 50;
  EXPECT_EQ(simulate(f.m, 1).rounds, 0U);
}

// An open system under load: balancing shortens queues, whatever carries the tasks.
TEST(balancing_rounds, queues_get_shorter) {
  const topology cube = topology::hypercube(4);
  const auto oem = make_balancer("oem");
  model m;
  m.graph = &cube;
  m.arrivals = {.which = arrival_process::kind::poisson, .rate = 0.9};
  m.horizon = 2000;
  m.warm_up = 200;
  const double without = simulate(m, 5).mean_in_system;
  m.balance.strategy = oem.get();
  m.balance.when = {.which = trigger::kind::period, .period = 2};
  m.links = {.latency = 0.01, .per_quantum = 0.01};
  for (const transmission how : all_transmissions) {
    m.balance.transmission = how;
    const result with = simulate(m, 5);
    EXPECT_LT(with.mean_in_system, 0.7 * without) << to_string(how);
    EXPECT_EQ(hash_of({with}), hash_of({simulate(m, 5)})) << to_string(how);
  }
}

TEST(balancing_rounds, idle_trigger_feeds_a_fork_join_program) {
  const topology cube = topology::hypercube(3);
  const auto oem = make_balancer("oem");
  const task_graph tree = task_graph::tree(12, 2, distribution::exponential(1), 2);
  model m;
  m.graph = &cube;
  m.program = &tree;
  m.order = queue_order::lifo;
  m.balance.strategy = oem.get();
  m.balance.when = {.which = trigger::kind::idle, .gap = 0.01};
  const result r = simulate(m, 1);
  EXPECT_EQ(r.completed, tree.size());
  EXPECT_GT(r.speedup, 7);
  EXPECT_GE(r.makespan, tree.critical_path());
  EXPECT_NEAR(r.work, tree.total_demand(), 1e-6);
}

// Tasks that are all alike change hands as numbers, others one by one: the two must agree. One task
// that takes an unnoticeable bit longer makes the difference.
TEST(balancing_rounds, equal_tasks_as_numbers_do_as_tasks_one_by_one) {
  for (const char* name : {"dem", "cwa", "rotate"}) {
    for (const transmission how : all_transmissions) {
      const topology cube = topology::hypercube(5);
      const auto strategy = make_balancer(name);
      model m;
      m.graph = &cube;
      for (node_id k = 0; k < 32; ++k) m.initial.push_back((k * 7919 + 13) % 23);
      m.links = {.latency = 0.25, .per_quantum = 0.125};
      m.balance.strategy = strategy.get();
      m.balance.when.which = trigger::kind::start;
      m.balance.held = true;
      m.balance.transmission = how;
      const auto where = std::string(name) + " " + std::string(to_string(how));
      m.service = distribution::constant(1);
      const result numbers = simulate(m, 1);
      std::vector<double> demands(1000, 1.0);
      demands[0] = std::nextafter(1.0, 2.0);
      m.service = distribution::trace(demands);
      const result one_by_one = simulate(m, 1);
      EXPECT_GT(numbers.tasks_moved, 0U) << where;
      EXPECT_EQ(numbers.tasks_moved, one_by_one.tasks_moved) << where;
      EXPECT_EQ(numbers.completed, one_by_one.completed) << where;
      EXPECT_EQ(numbers.longest_queue, one_by_one.longest_queue) << where;
      EXPECT_EQ(numbers.shortfall, 0U) << where;
      EXPECT_EQ(numbers.planned_difference, one_by_one.planned_difference) << where;
      EXPECT_EQ(numbers.difference_after, one_by_one.difference_after) << where;
      EXPECT_EQ(numbers.stabilised, one_by_one.stabilised) << where;
      EXPECT_NEAR(numbers.makespan, one_by_one.makespan, 1e-9) << where;
    }
  }
}

// A transfer takes the tasks that waited longest, or the newest, also out of the middle of a row of
// equal ones. Node 0 has 1, 1, 1, 3, 3 waiting behind the first 1 and gives two away.
TEST(balancing_rounds, transfers_split_rows_of_equal_tasks) {
  const topology pair = topology::hypercube(1);
  const auto dem = make_balancer("dem");
  model m;
  m.graph = &pair;
  for (const double demand : {1.0, 1.0, 1.0, 1.0, 3.0, 3.0}) {
    m.arrivals.entries.push_back({0, 0, demand});
  }
  m.arrivals.which = arrival_process::kind::trace;
  m.balance.strategy = dem.get();
  m.balance.when = {.which = trigger::kind::period, .period = 0.5, .most_rounds = 1};
  // Loads 6 and 0: three go. The oldest are 1, 1, 1 and leave 1, 3, 3 (with the one in service).
  EXPECT_DOUBLE_EQ(simulate(m, 1).makespan, 7);
  // The newest are 1, 3, 3, which begin at 0.5.
  m.balance.migrated = migrated_end::newest;
  EXPECT_DOUBLE_EQ(simulate(m, 1).makespan, 7.5);
  EXPECT_EQ(simulate(m, 1).completed, 6U);
}

TEST(balancing_rounds, more_tasks_than_a_queue_counts_are_refused) {
  figure_18 f;
  f.m.initial[1] = load_type{1} << 32;
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument);
  // A billion equal tasks are a row like any other.
  f.m.initial.assign(8, 0);
  f.m.initial[3] = 1'000'000'000;
  f.m.horizon = 2.5;
  const result r = simulate(f.m, 1);
  EXPECT_EQ(r.completed, 16U);
  EXPECT_EQ(r.arrived, 1'000'000'000U);
}

TEST(balancing_rounds, refuses_contradictions) {
  figure_18 f;
  f.m.balance.by_node = true;
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument);
  f.m.balance.held = false;
  f.m.balance.when.which = trigger::kind::idle;
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument) << "no cost, no gap";
  f.m.balance.when.gap = 1;
  EXPECT_NO_THROW((void)simulate(f.m, 1));
  f.m.balance.informed = information::shared;
  EXPECT_THROW((void)simulate(f.m, 1), std::invalid_argument) << "no round reads all loads";
}

}  // namespace
}  // namespace evencube::simulator
