#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support.hpp"

namespace evencube {
namespace {

using testing::loads_type;

const char* const networks[] = {"hypercube:2", "hypercube:3", "hypercube:4", "cube:5",
                                "cube:11",     "mesh:3x3",    "ring:6",      "star:5",
                                "complete:4",  "fibonacci:7", "linear:6",    "hypercube:5"};

struct sample {
  topology graph;
  loads_type loads;
  plan made;
};

sample draw() {
  const auto graph = topology::parse(
      *rc::gen::elementOf(std::vector<std::string>(std::begin(networks), std::end(networks))));
  auto loads = *rc::gen::container<loads_type>(graph.nodes(), rc::gen::inRange<load_type>(0, 60));
  plan made;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  std::vector<std::string> names{"random", "rotate"};
  if (graph.is_cube()) names.insert(names.end(), {"dem", "oem"});
  const auto name = *rc::gen::elementOf(names);
  balancer_options options;
  if (name == "random") options["rounds"] = std::to_string(*rc::gen::inRange(1, 7));
  make_balancer(name, options)->make_plan({.graph = graph, .loads = loads, .seed = seed}, made);
  return {graph, loads, made};
}

RC_GTEST_PROP(transmission, costs_are_ordered, ()) {
  const auto [graph, loads, made] = draw();
  const auto found = evaluate(graph, loads, made);
  RC_ASSERT(found.t_comm.pipelined <= found.t_comm.overlapped);
  RC_ASSERT(found.t_comm.overlapped <= found.t_comm.phased);
  RC_ASSERT(found.max_link <= found.t_comm.pipelined);
}

RC_GTEST_PROP(transmission, every_schedule_is_feasible_and_ends_in_the_planned_loads, ()) {
  const auto [graph, loads, made] = draw();
  const auto planned = final_loads(made, loads);
  for (const auto how : all_transmissions) {
    const auto steps = make_schedule(how, loads, made);
    const plan carried = plan_of(steps);
    // Direct transfers need no link: check them on the complete network.
    const auto wires = how == transmission::direct ? topology::complete(graph.nodes()) : graph;
    validate_plan(wires, loads, carried);
    RC_ASSERT(final_loads(carried, loads) == planned);
    RC_ASSERT(steps.cost == transmission_cost(how, loads, made));
    load_type end = 0;
    load_type start = 0;
    for (const auto& step : steps.steps) {
      RC_ASSERT(step.start >= start);
      start = step.start;
      if (how != transmission::overlapped) {
        RC_ASSERT(step.start == end);
      }
      end = std::max(end, step.start + step.duration);
      load_type longest = 0;
      for (const auto& t : step.transfers) longest = std::max(longest, t.quanta);
      RC_ASSERT(longest == step.duration);
    }
    RC_ASSERT(end == steps.cost);
  }
}

RC_GTEST_PROP(direct, moves_only_the_net_change, ()) {
  const auto [graph, loads, made] = draw();
  const auto after = final_loads(made, loads);
  load_type net = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) net += std::max<load_type>(0, after[k] - loads[k]);
  RC_ASSERT(task_hops(plan_of(make_schedule(transmission::direct, loads, made))) == net);
}

RC_GTEST_PROP(pipelined, cost_of_large_loads_is_found_without_counting, ()) {
  // Thousandfold loads: the shortcut over repeating stretches against the step by step schedule.
  auto [graph, loads, made] = draw();
  for (auto& load : loads) load *= 1000;
  for (auto& moves : made.phases) {
    for (auto& t : moves) t.quanta *= 1000;
  }
  RC_ASSERT(transmission_cost(transmission::pipelined, loads, made) ==
            make_schedule(transmission::pipelined, loads, made).cost);
}

RC_GTEST_PROP(pipelined, cost_is_either_exact_or_said_to_take_too_long, ()) {
  const auto [graph, loads, made] = draw();
  const auto work = *rc::gen::inRange<std::size_t>(0, 2000);
  const auto found = transmission_cost(transmission::pipelined, loads, made, work);
  const load_type exact = transmission_cost(transmission::pipelined, loads, made);
  if (found) {
    RC_ASSERT(*found == exact);
  } else {
    RC_ASSERT(max_link(made) <= exact);
    RC_ASSERT(exact <= transmission_cost(transmission::overlapped, loads, made));
  }
  RC_ASSERT(transmission_cost(transmission::pipelined, loads, made, std::size_t{1} << 40) == exact);
}

}  // namespace
}  // namespace evencube
