#pragma once

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

/// A balancer from outside the library: over one link after the other, the end with more gives half
/// of its lead. Works on every network.
class level_links final : public evencube::balancer {
 public:
  std::string_view name() const noexcept override { return "level_links"; }

  void make_plan(const evencube::balance_request& request, evencube::plan& out) const override {
    evencube::check_request(request, name());
    evencube::refuse_capacities(request, name());
    std::vector<evencube::load_type> loads(request.loads.begin(), request.loads.end());
    evencube::reset_plan(out, 0);
    for (evencube::node_id k = 0; k < request.graph.nodes(); ++k) {
      request.graph.for_each_neighbour(k, [&](evencube::node_id other) {
        const evencube::load_type quanta = (loads[k] - loads[other]) / 2;
        if (quanta <= 0) return;
        out.phases.push_back({{k, other, quanta}});
        loads[k] -= quanta;
        loads[other] += quanta;
      });
    }
  }
};

/// What it promises; register_balancer(level_links_descriptor()) makes it known by name.
inline evencube::balancer_descriptor level_links_descriptor() {
  evencube::balancer_descriptor d;
  d.name = "level_links";
  d.summary = "over every link in turn the end with more gives half its lead";
  d.source = "an example";
  d.information = "the neighbour's load";
  d.guarantees.never_widens = true;
  d.guarantees.plan_cost = "E";
  d.make = [](const auto&) { return std::make_unique<level_links>(); };
  return d;
}
