#pragma once

#include <cstdint>

namespace evencube {

/// Which of the tasks that wait for a worker begin first. A task that has begun is never
/// interrupted, and a worker that waits runs what it waits for and nothing else, whatever has the
/// higher priority; but whoever chooses between two tasks, both of which it may run, takes the one
/// of higher priority (runtime/src/queues/priority_lists.md). Of one priority, `high` and `low`
/// begin in the order in which they were spawned by each thread.
enum class priority : std::uint8_t {
  /// Before all others.
  high,
  normal,
  /// By a worker that finds nothing else to run; or by one that waits for it, and would sleep else.
  low
};

}  // namespace evencube
