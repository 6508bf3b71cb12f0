#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// What a group must have to be stopped.
struct stoppable {
  /// Groups that tasks are dropped from when they are stopped: those of users, not those of loops.
  bool heeds_stops = false;
  std::atomic<bool> requested{false};
  /// In the list of stopped groups, guarded by its lock.
  const node* which = nullptr;
  stoppable* next = nullptr;
};

/// How many groups of this process are stopped, and still there: as long as there are none, no task
/// need look further.
extern constinit std::atomic<std::uint32_t> stopped_groups;

/// The group is stopped from now on. Any thread; more than once.
void request_stop(stoppable& group, const node& which) noexcept;
/// It goes.
void forget_stop(stoppable& group) noexcept;
/// In a forked child no group is stopped but those that are from now on.
void forget_all_stops() noexcept;

/// Whether the node stands below a stopped group, or is one. Takes a lock; O(depth * groups).
bool stands_below_a_stop(const node* n) noexcept;
inline bool stop_requested(const node* n) noexcept {
  // Acquire: pairs with the release in `request_stop`: what led to the stop has happened.
  return stopped_groups.load(std::memory_order_acquire) != 0 && detail::stands_below_a_stop(n);
}

}  // namespace evencube::detail
