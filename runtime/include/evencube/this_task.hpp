#pragma once

#include <memory>
#include <optional>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube {

class runtime;

namespace detail {
/// Like `this_task::stop_requested`, for the task in whose blocking scope the calling thread is;
/// false outside of such scopes.
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
}  // namespace detail

/// Functions that describe the task on the calling thread. These functions never throw, wait or
/// allocate, and any thread may call them; each costs a few nanoseconds. A thread is *inside* a
/// runtime if a task of that runtime calls the function. Tasks are the functions that
/// `runtime::run`, `async`, a group, a fork or a loop runs, and also a balancer that plans on a
/// worker. Within a `blocking` scope a thread counts as outside, except for `stop_requested`.
namespace this_task {

/// Returns the calling task's runtime; null outside of tasks.
[[nodiscard]] EVENCUBE_EXPORT evencube::runtime* runtime() noexcept;

/// Returns the calling worker's index: in [0, workers()), or at least workers() for a spare worker.
/// Empty outside of tasks. The index is constant during a task, because a running task never
/// changes its thread.
[[nodiscard]] inline std::optional<unsigned> worker() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? std::optional<unsigned>(here->index()) : std::nullopt;
}

/// Returns the number of workers of the calling task's runtime; 0 outside of tasks.
[[nodiscard]] EVENCUBE_EXPORT unsigned workers() noexcept;

/// Returns true if the task belongs to a stopped group, or to a fork, a loop or another group that
/// a task of a stopped group made. Also returns true in a stopped runtime. The task of a future
/// belongs to no group. Returns false outside of tasks. The call takes a nanosecond. While any
/// group or runtime of the program is stopped, the call also takes a lock.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? detail::stop_requested(here->running(), std::addressof(here->workers()))
                         : detail::stop_requested_while_blocking();
}

}  // namespace this_task

}  // namespace evencube
