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

/// Functions that describe the task on the calling thread. They never throw, wait or allocate, and
/// any thread may call them; each costs a few nanoseconds. A thread is *inside* a runtime if a task
/// of that runtime has called the function. Tasks are the functions that `runtime::run`, `async`, a
/// group, a fork or a loop runs, and a balancer that a worker asks for a plan. Within a `blocking`
/// scope a thread is outside, except for `stop_requested`.
namespace this_task {

/// Returns the runtime of the calling task; null outside.
[[nodiscard]] EVENCUBE_EXPORT evencube::runtime* runtime() noexcept;

/// Returns the calling worker's index: in [0, workers()), or at least workers() for a spare worker.
/// Empty outside. The index stays the same until the task ends, because tasks do not change their
/// threads.
[[nodiscard]] inline std::optional<unsigned> worker() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? std::optional<unsigned>(here->index()) : std::nullopt;
}

/// Returns the number of workers of the calling task's runtime; 0 outside.
[[nodiscard]] EVENCUBE_EXPORT unsigned workers() noexcept;

/// Returns true if the task belongs to a stopped group, or to a fork, a loop or another group that
/// a task of a stopped group made. Also returns true in a runtime that was stopped. The task of a
/// future belongs to no group. Returns false outside. The call takes a nanosecond. While any group
/// or runtime of the program is stopped, the call also takes a lock.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? detail::stop_requested(here->running(), std::addressof(here->workers()))
                         : detail::stop_requested_while_blocking();
}

}  // namespace this_task

}  // namespace evencube
