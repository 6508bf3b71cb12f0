#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// A round of balancing, or one activation of an event-driven strategy: everything the balancer was
/// told and the plan it made of it. The plan is a pure function of the rest.
struct balancing_round {
  /// Quanta at each worker, the task it runs included.
  std::vector<load_type> loads;
  /// Relative speeds; empty if all are alike or the strategy has no rule for them.
  std::vector<double> capacities;
  /// Seconds between two tasks' ends at each worker since the round before, infinite where none
  /// ended; empty unless the strategy uses them.
  std::vector<double> service_times;
  std::uint64_t seed = 0;
  /// The worker that was activated; nothing for a round of the whole cube.
  std::optional<node_id> initiator;
  plan planned;
};

}  // namespace evencube
