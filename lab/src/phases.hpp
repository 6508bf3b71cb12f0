#pragma once

#include <vector>

#include <evencube/balancers/plan.hpp>

#include "request.hpp"

namespace evencube::lab {

/// Returns transfers as from, to, quanta, from, to, quanta, ...
[[nodiscard]] json flat(const phase& transfers);

/// Returns what the page needs to replay a plan: the loads before (`initial`) and after (`final`),
/// the `phases`, the `differences` before the first and after each of them, `transfers` and
/// `task_hops`. Precondition: the plan is valid for these loads.
[[nodiscard]] json replay_of(const std::vector<load_type>& loads, const plan& moves);

}  // namespace evencube::lab
