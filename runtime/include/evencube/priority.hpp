#pragma once

#include <cstdint>

namespace evencube {

/// Determines the order in which tasks that wait for a worker begin. If a worker may run either of
/// two tasks, it runs the one with the higher priority first
/// (runtime/src/queues/priority_lists.md). A task that has begun is never interrupted. A waiting
/// worker runs only tasks that its wait needs, even if others have a higher priority. Tasks of
/// priority `high` that the same thread spawned begin in spawn order; so do tasks of priority
/// `low`.
enum class priority : std::uint8_t {
  /// The task begins before all others.
  high,
  /// The task begins after `high` and before `low` tasks.
  normal,
  /// The task begins when a worker finds no other task to run or would otherwise sleep in a wait
  /// for it.
  low
};

}  // namespace evencube
