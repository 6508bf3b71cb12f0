#pragma once

#include <cstdint>

namespace evencube {

/// The order in which tasks that wait for a worker begin. If a worker may run both of two tasks, it
/// takes the one of higher priority (runtime/src/queues/priority_lists.md). A task that has begun
/// is never interrupted. A waiting worker runs only tasks for which it waits, even if other tasks
/// have a higher priority. Tasks of priority `high` begin in the order in which each thread spawned
/// them, and so do tasks of priority `low`.
enum class priority : std::uint8_t {
  /// Before all other tasks.
  high,
  /// After tasks of high priority and before tasks of low priority.
  normal,
  /// When a worker finds nothing else to run, or would otherwise sleep in a wait for the task.
  low
};

}  // namespace evencube
