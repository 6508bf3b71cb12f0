#pragma once

#include <span>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// What a plan does and costs. Times in units of T_comm; sums saturate at the largest load_type.
struct plan_evaluation {
  std::vector<load_type> final_loads;
  load_type max_difference = 0;
  /// Sum over transfers of the units carried.
  load_type task_hops = 0;
  /// Units over the busiest directed link in the whole plan.
  load_type max_link = 0;
  struct communication {
    load_type phased = 0;
    load_type overlapped_rounds = 0;
    load_type overlapped = 0;
    load_type pipelined = 0;
    load_type direct = 0;
  } t_comm;
};

/// Checks the plan (validate_plan, with its exceptions) and measures it.
[[nodiscard]] EVENCUBE_EXPORT plan_evaluation evaluate(const topology& graph,
                                                       std::span<const load_type> loads,
                                                       const plan& planned);

}  // namespace evencube
