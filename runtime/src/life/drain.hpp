#pragma once

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// Returns when `at_rest()` is true, for a runtime that takes no more work (invariant
/// shutdown.drained). Checks again and again, with `pause()` between two checks, so that no thread
/// that goes to sleep has to check whether the runtime ends.
template <typename Policy, typename AtRest, typename Pause>
void wait_for_rest(basic_workers<Policy>& workers, const AtRest& at_rest, const Pause& pause) {
  while (!at_rest()) {
    // A caller of `run` left these tasks to the standby thread of a lone worker, and could not make
    // that thread.
    if (workers.size() == 1 && workers.seat().vacant() && workers.work_in_reach()) {
      workers.ensure_standby();
      workers.announce_work();
    }
    pause();
  }
}

}  // namespace evencube::detail
