#pragma once

#include <memory>
#include <string>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>

#include "ports/round_service.hpp"

namespace evencube::detail {

/// Largest batch of "pipelined:N".
inline constexpr load_type max_batch = 1'000'000'000;

/// A balancer with the properties that the runtime uses.
struct strategy {
  strategy_kind way = strategy_kind::none;
  /// Null unless `way` is `planned`.
  std::unique_ptr<balancer> planner = nullptr;
  transmission mode = transmission::direct;
  /// For `pipelined`: the quanta that a link carries at a time; 0: chosen to suit the plan.
  load_type batch = 0;
  bool honours_capacities = false;
  bool event_driven = false;
  bool uses_service_times = false;
  /// Tasks keep their order along the locality line: no worker takes tasks outside of rounds.
  bool keeps_order = false;
};

/// Throws std::invalid_argument that names an unknown name, or a strategy that cannot serve this
/// cube.
strategy make_strategy(const std::string& balancer, const balancer_options& options,
                       const std::string& transmission, const topology& cube);

}  // namespace evencube::detail
