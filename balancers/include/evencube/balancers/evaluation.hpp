#pragma once

#include <span>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The effect and costs of a plan. T_comm is the time a quantum takes over a link. Sums saturate at
/// the largest load_type.
struct plan_evaluation {
  std::vector<load_type> final_loads;
  load_type max_difference = 0;
  /// The quanta carried, summed over all transfers.
  load_type task_hops = 0;
  /// The quanta that the busiest directed link carries in the whole plan.
  load_type max_link = 0;
  /// The plan's cost under each transmission, in units of T_comm.
  struct communication {
    load_type phased = 0;
    load_type overlapped_rounds = 0;
    load_type overlapped = 0;
    load_type pipelined = 0;
    load_type direct = 0;
  } t_comm;
};

/// Checks the plan with validate_plan and evaluates it. Throws validate_plan's exceptions.
[[nodiscard]] EVENCUBE_EXPORT plan_evaluation evaluate(const topology& graph,
                                                       std::span<const load_type> loads,
                                                       const plan& planned);

}  // namespace evencube
