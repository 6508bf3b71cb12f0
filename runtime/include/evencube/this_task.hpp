#pragma once

#include <optional>

#include <evencube/detail/worker.hpp>

namespace evencube {

class runtime;

/// What the calling thread runs. Quiet: nothing here throws, waits or allocates, from whatever
/// thread it is asked; each costs a few nanoseconds. A thread is inside where a task of a runtime
/// has called it: what `runtime::run`, `async`, a group, a fork or a loop runs, and a balancer that
/// a worker asks for a plan.
namespace this_task {

/// The runtime; null outside.
[[nodiscard]] evencube::runtime* runtime() noexcept;

/// The worker that the thread is, in [0, workers()); nothing outside. The same until the task ends:
/// tasks do not change their threads.
[[nodiscard]] inline std::optional<unsigned> worker() noexcept {
  const detail::worker* const here = detail::current_worker;
  return here != nullptr ? std::optional<unsigned>(here->index()) : std::nullopt;
}

/// How many workers the runtime has; 0 outside.
[[nodiscard]] unsigned workers() noexcept;

}  // namespace this_task

}  // namespace evencube
