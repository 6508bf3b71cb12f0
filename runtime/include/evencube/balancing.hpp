#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// The input and the plan of one round of balancing, or of one activation of an event-driven
/// strategy. The plan depends only on the other members. The balancer planned for the loads divided
/// by `unit`; the amounts in its plan were then multiplied by `unit`.
struct balancing_round {
  /// The load of each worker in quanta, including `unit` quanta for a running task.
  std::vector<load_type> loads;
  /// The relative speeds of the workers. Empty if all speeds are equal or the strategy ignores
  /// speeds.
  std::vector<double> capacities;
  /// For each worker, the mean interval in seconds between the ends of its tasks since the previous
  /// round; infinite if no task ended. Empty unless the strategy uses service times.
  std::vector<double> service_times;
  /// The seed of the balancer's random draws.
  std::uint64_t seed = 0;
  /// The worker for which an event-driven strategy was activated; empty for a round of the whole
  /// cube.
  std::optional<node_id> initiator;
  /// The plan that the balancer made, in quanta.
  plan planned;
  /// The number of quanta that the balancer treated as one. If all queued tasks had the same cost,
  /// `unit` is that cost, so the balancer counted tasks. Otherwise `unit` is 1.
  load_type unit = 1;
};

}  // namespace evencube
