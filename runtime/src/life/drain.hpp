#pragma once

#include <evencube/detail/engine_fwd.hpp>
#include <evencube/detail/group.hpp>

namespace evencube::detail {

/// Whether nothing is left of a runtime that takes nothing more. Ask while no round is under way
/// and nobody holds.
template <typename Policy>
bool nothing_left(basic_group<Policy>& tracker, basic_workers<Policy>& of) {
  // A coroutine may be suspended, or go on in another runtime, and continue futures here. What its
  // end sends is sent before it counts no more, so that is asked first.
  return tracker.count().done_for_others() && of.nothing_left();
}

/// Returns when `at_rest()` is true, of a runtime that takes nothing more (invariant
/// shutdown.drained). Looks again and again, with `pause()` between two looks: nobody who goes to
/// sleep is to look whether the runtime ends.
template <typename Policy, typename AtRest, typename Pause>
void wait_for_rest(basic_workers<Policy>& of, const AtRest& at_rest, const Pause& pause) {
  while (!at_rest()) {
    // A caller of `run` left it to a lone worker, and could not make its thread.
    if (of.size() == 1 && of.seat().vacant() && of.work_in_reach()) {
      of.ensure_standby();
      of.announce_work();
    }
    pause();
  }
}

}  // namespace evencube::detail
