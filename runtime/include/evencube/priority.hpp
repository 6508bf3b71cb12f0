#pragma once

#include <cstdint>

namespace evencube {

/// The order in which tasks that wait for a worker begin. If a worker may run both of two tasks, it
/// takes the task of higher priority (runtime/src/queues/priority_lists.md). A task that has begun
/// is never interrupted. A waiting worker runs only tasks that its wait needs, even if other tasks
/// have a higher priority. Tasks of priority `high` begin in the order in which each thread spawned
/// them, and so do tasks of priority `low`.
enum class priority : std::uint8_t {
  /// Begins before all other tasks.
  high,
  /// Begins after tasks of high priority and before tasks of low priority.
  normal,
  /// Begins when a worker finds no other task to run, or would otherwise sleep in a wait for this
  /// task.
  low
};

}  // namespace evencube
