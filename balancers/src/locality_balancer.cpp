#include <algorithm>

#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"

namespace evencube {
namespace {

/// The order-preserving shift as a plan of one-hop phases. In each phase, every node passes to each
/// neighbour on the line what still has to cross that link, as far as the node holds it. The tasks
/// that leave to the right are a node's last items. Those that arrive from the left are placed
/// before its first.
class locality_shift final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "locality"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    const auto line = locality_line(request.graph);
    const std::size_t n = line.size();
    std::vector<load_type> held(n);
    std::vector<double> capacities;
    for (std::size_t p = 0; p < n; ++p) {
      held[p] = request.loads[line[p]];
      if (!request.capacities.empty()) capacities.push_back(request.capacities[line[p]]);
    }
    const auto starts = block_starts(total_load(held), n, capacities);
    // crossing[p]: the quanta that must pass from p to p + 1, negative for the other direction.
    std::vector<load_type> crossing(n, 0);
    load_type prefix = 0;
    bool left_over = false;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      prefix += held[p];
      crossing[p] = prefix - starts[p + 1];
      left_over = left_over || crossing[p] != 0;
    }
    reset_plan(out, 0);
    while (left_over) {
      left_over = false;
      phase& moves = out.phases.emplace_back();
      std::vector<load_type> spare = held;
      for (std::size_t p = 0; p + 1 < n; ++p) {
        const bool right = crossing[p] > 0;
        const std::size_t from = right ? p : p + 1;
        const std::size_t to = right ? p + 1 : p;
        const load_type quanta = std::min(std::abs(crossing[p]), spare[from]);
        if (quanta > 0) {
          spare[from] -= quanta;
          held[from] -= quanta;
          held[to] += quanta;
          crossing[p] -= right ? quanta : -quanta;
          moves.push_back({line[from], line[to], quanta});
        }
        left_over = left_over || crossing[p] != 0;
      }
    }
  }
};

}  // namespace

namespace builtin {

balancer_descriptor describe_locality() {
  balancer_descriptor d;
  d.name = std::string("locality");
  d.summary = std::string("every node gets its block of the tasks in their order along a line");
  d.source = std::string("Mehrotra, Ranka, Wang 1992, Section 2");
  d.information = std::string("the prefix sums of the loads along the line");
  d.guarantees.difference = [](const balance_request&, const balancer_options&) {
    return std::optional<load_type>(1);
  };
  d.guarantees.difference_text = std::string("1");
  d.guarantees.honours_capacities = true;
  d.guarantees.deviation = [](const balance_request&, const balancer_options&) {
    return std::optional<double>(1.0);
  };
  d.guarantees.deviation_text = std::string("1");
  d.guarantees.preserves_order = true;
  d.guarantees.supports = has_locality_line;
  d.guarantees.supports_text =
      std::string("all with a known line: not star, edges, fibonacci-composite");
  d.guarantees.plan_cost = std::string("N x longest shift");
  d.make = [](const balancer_options&) -> std::unique_ptr<balancer> {
    return std::make_unique<locality_shift>();
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
