// What a simulation does with times that no clock shows and with loads that nobody can serve: it
// ends and says where.

#include <cmath>
#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/event_queue.hpp>
#include <evencube/simulator/simulation.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../runtime/repetitions.hpp"

namespace evencube::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const model& what) {
  try {
    (void)simulate(what, 1);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "accepted";
}

model batch(const topology& graph, const distribution& service) {
  model m;
  m.graph = &graph;
  m.service = service;
  m.initial.assign(graph.nodes(), 8);
  return m;
}

model open_system(const topology& graph, double rate, double horizon) {
  model m;
  m.graph = &graph;
  m.arrivals = {.which = arrival_process::kind::poisson, .rate = rate};
  m.horizon = horizon;
  return m;
}

// It looped for ever in the event queue: minimum / u^1000 is infinite for most u.
TEST(simulation_limits, service_times_beyond_every_clock_are_named) {
  const topology graph = topology::cube(4);
  const auto heavy = distribution::pareto(1, 0.001);
  EXPECT_THAT(refusal(batch(graph, heavy)),
              AllOf(HasSubstr("the service time"), HasSubstr("pareto:1,0.001 gave for node"),
                    HasSubstr("at most 1e+100")));
  model m = open_system(graph, 1, 100);
  m.service = heavy;
  EXPECT_THAT(refusal(m), HasSubstr("gave for node"));
  m.service = distribution::constant(1e101);
  EXPECT_THAT(refusal(m), HasSubstr("1e+101"));
  EXPECT_EQ(refusal(batch(graph, distribution::constant(1e99))), "accepted");
}

TEST(simulation_limits, times_that_add_up_beyond_the_clock_are_named) {
  const topology graph = topology::cube(1);
  model m = batch(graph, distribution::constant(1e100));
  m.speeds = {1e-101};
  EXPECT_THAT(refusal(m), AllOf(HasSubstr("the completion of a node (number 0)"),
                                HasSubstr("times must be at most 1e+200")));
  m.speeds = {1e-300};
  EXPECT_THAT(refusal(m), HasSubstr("would come at time inf"));
}

TEST(simulation_limits, more_arrivals_than_random_numbers_are_refused_at_once) {
  const topology graph = topology::cube(2);
  EXPECT_THAT(refusal(open_system(graph, 1e9, 2000)),
              HasSubstr("a node would see about 2e+12 arrivals, at most 4294967295"));
  model spot = open_system(graph, 1, 1e9);
  spot.arrivals.which = arrival_process::kind::hot_spot;
  spot.arrivals.hot_factor = 8;
  EXPECT_THAT(refusal(spot), HasSubstr("8e+09 arrivals"));
  EXPECT_THAT(refusal(open_system(graph, std::numeric_limits<double>::max(), 2)),
              HasSubstr("inf arrivals"));
}

TEST(simulation_limits, what_nobody_can_serve_does_not_pile_up_without_end) {
  const topology graph = topology::cube(2);
  model m = open_system(graph, 1000, 1e6);
  m.most_waiting = 100'000;
  EXPECT_THAT(refusal(m), AllOf(HasSubstr("at time "), HasSubstr("more than 100000 tasks wait")));
  // Tasks that begin together and are alike take the room of one.
  model alike = batch(graph, distribution::constant(1));
  alike.initial = {1'000'000, 0};
  alike.horizon = 10;
  alike.most_waiting = 10;
  EXPECT_EQ(refusal(alike), "accepted");
  alike.most_waiting = 0;
  EXPECT_THAT(refusal(alike), HasSubstr("tasks that may wait is 0"));
}

// A time to try again that is lost when it is added to the clock.
TEST(simulation_limits, time_that_stands_still_is_noticed) {
  const topology graph = topology::cube(2);
  const auto strategy = make_balancer("sender_initiated", {{"high", "0"}});
  model m;
  m.graph = &graph;
  m.arrivals = {.which = arrival_process::kind::trace, .entries = {{1e20, 0, 1e20}}};
  m.balance.strategy = strategy.get();
  m.balance.by_node = true;
  m.balance.when = {.which = trigger::kind::threshold, .high = 0, .gap = 1e-3, .retry = 1};
  m.most_at_once = 100'000;
  EXPECT_THAT(refusal(m), HasSubstr("time stands still at 1e+20: 131072 events there"));
  m.most_at_once = 0;
  EXPECT_THAT(refusal(m), HasSubstr("events that may come at once is 0"));
  // Without being told; under a sanitizer 17 million events take half a minute.
  if (test::sanitizer_slowness > 1) return;
  m.most_at_once = model().most_at_once;
  EXPECT_THAT(refusal(m), HasSubstr("time stands still at 1e+20"));
}

// Of tasks that are much longer than the time between two calls.
TEST(simulation_limits, a_clock_that_calls_too_often_is_stopped) {
  const topology graph = topology::cube(2);
  const auto strategy = make_balancer("dem", {});
  model m = batch(graph, distribution::constant(100));
  m.initial = {1, 0};
  m.balance.strategy = strategy.get();
  m.balance.when = {.which = trigger::kind::idle, .period = 0.5, .gap = 1e-3, .most_calls = 200};
  EXPECT_EQ(refusal(m), "accepted");
  m.balance.when.most_calls = 150;
  EXPECT_THAT(refusal(m), HasSubstr("the clock has called 150 times at 75.5, every 0.5"));
}

TEST(simulation_limits, laying_out_the_first_tasks_can_be_interrupted) {
  const topology graph = topology::cube(1);
  model m = batch(graph, distribution::exponential(1));
  m.initial = {10'000'000};
  observer watch;
  int asked = 0;
  watch.progress = [&](double time, std::uint64_t) {
    EXPECT_EQ(time, 0);
    return ++asked < 3;
  };
  const result stopped = simulate(m, 1, watch);
  EXPECT_TRUE(stopped.partial);
  EXPECT_EQ(asked, 3);
  EXPECT_LT(stopped.arrived, 1'000'000U);
}

// The queue itself, at the ends of its range.
TEST(simulation_limits, the_event_queue_takes_times_of_every_size) {
  bucket_queue queue;
  std::uint64_t key = 0;
  for (int exponent = -300; exponent <= 200; ++exponent) {
    queue.push({std::pow(10.0, exponent), key++});
  }
  queue.push({0, key++});
  double last = -1;
  for (; !queue.empty(); key--) {
    const double next = queue.pop().time;
    EXPECT_GT(next, last);
    last = next;
  }
  EXPECT_EQ(last, 1e200);
  EXPECT_EQ(key, 0U);
}

}  // namespace
}  // namespace evencube::simulator
