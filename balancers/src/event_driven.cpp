#include "event_driven.hpp"

#include <limits>

#include <evencube/balancers/plan_tools.hpp>

namespace evencube {

threshold threshold::parse(const balancer_options& options, std::string_view name) {
  threshold made;
  if (options.find(name)->second != "auto") {
    made.fixed_ = integer_option(options, name, 0, std::numeric_limits<load_type>::max());
  }
  return made;
}

std::string threshold::allowed() { return "auto (the average load), or whole numbers >= 0"; }

load_type threshold::low(std::span<const load_type> loads) const {
  return fixed_ ? *fixed_ : total_load(loads) / static_cast<load_type>(loads.size());
}

load_type threshold::high(std::span<const load_type> loads) const {
  if (fixed_) return *fixed_;
  const auto nodes = static_cast<load_type>(loads.size());
  const load_type total = total_load(loads);
  return total / nodes + (total % nodes != 0 ? 1 : 0);
}

option_descriptor sweeps_option() {
  return {"sweeps",
          "number of times all nodes are activated in turn",
          "1",
          {},
          "whole numbers from 1 to 1000"};
}

std::size_t parse_sweeps(const balancer_options& options) {
  return static_cast<std::size_t>(integer_option(options, "sweeps", 1, 1000));
}

activations::activations(const balance_request& request, std::size_t sweeps, plan& out)
    : request_(request),
      sweeps_(sweeps),
      out_(out),
      loads_(request.loads.begin(), request.loads.end()) {}

void activations::add(const phase& moves) {
  if (moves.empty()) return;
  out_.next().assign(moves.begin(), moves.end());
  for (const transfer& t : moves) {
    loads_[t.from] -= t.quanta;
    loads_[t.to] += t.quanta;
  }
}

void activations::send_along(node_id from, node_id to, load_type quanta) {
  request_.graph.shortest_path(from, to, path_);
  for (std::size_t i = 1; i < path_.size(); ++i) add({{path_[i - 1], path_[i], quanta}});
}

}  // namespace evencube
