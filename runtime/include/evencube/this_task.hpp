#pragma once

#include <memory>
#include <optional>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube {

class runtime;

namespace detail {
/// Like `this_task::stop_requested`, for the task whose blocking scope the calling thread is in;
/// false outside of such scopes.
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
}  // namespace detail

/// Functions that describe the task that calls them. They never throw, wait or allocate, and any
/// thread may call them; each call costs a few nanoseconds. Code run by `runtime::run`, `async`, a
/// group, a fork or a loop counts as inside a task, and so does a balancer that plans on a worker.
/// Code within a `blocking` scope counts as outside of tasks, except for `stop_requested`.
namespace this_task {

/// Returns the calling task's runtime, or null outside of tasks.
[[nodiscard]] EVENCUBE_EXPORT evencube::runtime* runtime() noexcept;

/// Returns the calling worker's index, which is below workers(), or at least workers() for a spare
/// worker; empty outside of tasks. The index is constant during a task, because a running task
/// never moves to another thread.
[[nodiscard]] inline std::optional<unsigned> worker() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? std::optional<unsigned>(here->index()) : std::nullopt;
}

/// Returns the number of workers of the calling task's runtime; 0 outside of tasks.
[[nodiscard]] EVENCUBE_EXPORT unsigned workers() noexcept;

/// Returns true if the calling task belongs to a stopped group, or to a fork, a loop or another
/// group that a task of a stopped group created. Also returns true in a stopped runtime. A future's
/// task belongs to no group. Returns false outside of tasks. The call costs a nanosecond; while any
/// group or runtime of the program is stopped, it also acquires a lock.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? detail::stop_requested(here->running(), std::addressof(here->workers()))
                         : detail::stop_requested_while_blocking();
}

}  // namespace this_task

}  // namespace evencube
