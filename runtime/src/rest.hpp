#pragma once

#include <evencube/detail/group.hpp>

#include "scheduler.hpp"

namespace evencube::detail {

/// Returns when nothing is left of a runtime that takes nothing more (S3 and D in `shutdown.md`).
/// Looks again and again, with `pause()` between two looks: nobody who goes to sleep is to look
/// whether the runtime ends. `undisturbed(look)` gives what `look()` says while no round is under
/// way and nobody holds.
template <typename Policy, typename Undisturbed, typename Pause>
void wait_for_rest(basic_group<Policy>& tracker, basic_scheduler<Policy>& of,
                   const Undisturbed& undisturbed, const Pause& pause) {
  const auto nothing_left = [&] {
    if (!Policy::heeds("what counts first")) {
      return of.nothing_left() && tracker.count().done_for_others();
    }
    // A coroutine may be suspended, or go on in another runtime, and continue futures here. What
    // its end sends is sent before it counts no more, so that is asked first.
    const bool ended = tracker.count().done_for_others() || !Policy::heeds("what counts");
    return ended && of.nothing_left();
  };
  while (!undisturbed(nothing_left)) {
    // A caller of `run` left it to a lone worker, and could not make its thread.
    if (of.size() == 1 && of.slot().vacant() && of.work_in_reach()) {
      of.ensure_standby();
      of.announce_work();
    }
    pause();
  }
}

}  // namespace evencube::detail
