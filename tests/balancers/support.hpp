#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <evencube/balancers/evaluation.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

namespace evencube::testing {

using loads_type = std::vector<load_type>;

inline plan plan_for(std::string_view name, const topology& graph, const loads_type& loads,
                     const balancer_options& options = {},
                     std::span<const double> capacities = {}) {
  plan made;
  make_balancer(name, options)
      ->make_plan({.graph = graph, .loads = loads, .capacities = capacities}, made);
  return made;
}

/// The loads after a plan that is checked first.
inline loads_type balanced(std::string_view name, const topology& graph, const loads_type& loads,
                           const balancer_options& options = {},
                           std::span<const double> capacities = {}) {
  const plan made = plan_for(name, graph, loads, options, capacities);
  validate_plan(graph, loads, made);
  return final_loads(made, loads);
}

inline loads_type random_loads(std::mt19937_64& random, std::size_t nodes, std::uint64_t largest) {
  loads_type loads(nodes);
  for (auto& load : loads) load = static_cast<load_type>(random() % (largest + 1));
  return loads;
}

/// Calls `run`, returns the text of the std::invalid_argument it throws, "" if it throws none.
template <typename Run>
std::string refusal(Run&& run) {
  try {
    run();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace evencube::testing
