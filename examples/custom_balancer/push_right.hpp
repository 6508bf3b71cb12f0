#pragma once

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

/// A balancer from outside the library: on a linear array or a ring, every node gives half of what
/// it has more than its right neighbour, one pair after the other.
class push_right final : public evencube::balancer {
 public:
  std::string_view name() const noexcept override { return "push_right"; }

  void make_plan(const evencube::balance_request& request, evencube::plan& out) const override {
    evencube::check_request(request, name());
    evencube::refuse_capacities(request, name());
    if (!supports(request.graph)) throw std::invalid_argument("push_right: linear or ring only");
    std::vector<evencube::load_type> loads(request.loads.begin(), request.loads.end());
    evencube::reset_plan(out, 0);
    for (evencube::node_id k = 0; k + 1 < request.graph.nodes(); ++k) {
      const evencube::load_type quanta = (loads[k] - loads[k + 1]) / 2;
      if (quanta <= 0) continue;
      out.phases.push_back({{k, k + 1, quanta}});
      loads[k] -= quanta;
      loads[k + 1] += quanta;
    }
  }

  static bool supports(const evencube::topology& graph) {
    return graph.kind() == evencube::topology_kind::linear ||
           graph.kind() == evencube::topology_kind::ring;
  }
};

/// What it promises; register_balancer(push_right_descriptor()) makes it known by name.
inline evencube::balancer_descriptor push_right_descriptor() {
  evencube::balancer_descriptor d{.name = "push_right",
                                  .summary = "every node gives half its lead to the right",
                                  .source = "an example",
                                  .information = "the right neighbour's load"};
  d.guarantees.supports = push_right::supports;
  d.guarantees.supports_text = "linear, ring";
  d.guarantees.plan_cost = "N";
  d.make = [](const auto&) { return std::make_unique<push_right>(); };
  return d;
}
