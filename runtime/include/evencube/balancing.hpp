#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// A round of balancing, or one activation of an event-driven strategy: everything the balancer
/// saw, and the plan it made. The plan is a pure function of the other members: the balancer
/// planned for the loads divided by `unit`, and the amounts of its plan were multiplied by `unit`.
struct balancing_round {
  /// The quanta at each worker, including `unit` quanta for the task that the worker runs.
  std::vector<load_type> loads;
  /// The relative speeds of the workers. Empty if all are equal or the strategy has no rule for
  /// speeds.
  std::vector<double> capacities;
  /// The mean seconds between the ends of two tasks at each worker since the previous round, or
  /// infinite for a worker where no task ended. Empty unless the strategy uses service times.
  std::vector<double> service_times;
  /// The seed of the balancer's random draws.
  std::uint64_t seed = 0;
  /// The worker that was activated; empty for a round of the whole cube.
  std::optional<node_id> initiator;
  /// The plan that the balancer made, in quanta.
  plan planned;
  /// The number of quanta that the balancer counted as one. If all queued tasks had the same cost,
  /// `unit` is that cost, so the balancer planned in tasks. Otherwise `unit` is 1.
  load_type unit = 1;
};

}  // namespace evencube
