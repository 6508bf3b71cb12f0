#pragma once

#include <memory>
#include <optional>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube {

class runtime;

namespace detail {
/// The same of the task whose blocking scope the calling thread is in; false if it is in none.
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
}  // namespace detail

/// What the calling thread runs. Quiet: nothing here throws, waits or allocates, from whatever
/// thread it is asked; each costs a few nanoseconds. A thread is inside where a task of a runtime
/// has called it: what `runtime::run`, `async`, a group, a fork or a loop runs, and a balancer that
/// a worker asks for a plan. Within a `blocking` scope it is outside, but for `stop_requested`.
namespace this_task {

/// The runtime; null outside.
[[nodiscard]] EVENCUBE_EXPORT evencube::runtime* runtime() noexcept;

/// The worker that the thread is, in [0, workers()), or a spare one, numbered behind them; nothing
/// outside. The same until the task ends: tasks do not change their threads.
[[nodiscard]] inline std::optional<unsigned> worker() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? std::optional<unsigned>(here->index()) : std::nullopt;
}

/// How many workers the runtime has; 0 outside.
[[nodiscard]] EVENCUBE_EXPORT unsigned workers() noexcept;

/// Whether the task belongs to a group that was stopped, or stands below one: it was forked, or is
/// part of a loop, or of another group, that such a task made. A future's task belongs to no group.
/// True also in a runtime that was stopped. False outside. A nanosecond, unless there is a stopped
/// group or runtime anywhere in the program: then it takes a lock.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? detail::stop_requested(here->running(), std::addressof(here->workers()))
                         : detail::stop_requested_while_blocking();
}

}  // namespace this_task

}  // namespace evencube
