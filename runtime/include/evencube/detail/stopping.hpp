#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// What a group must have to be stopped.
struct stoppable {
  /// Groups that tasks are dropped from when they are stopped: those of users, not those of loops.
  bool check_stops = false;
  std::atomic<bool> requested{false};
  /// In the list of stopped groups, guarded by its lock: the group's node, or the scheduler of a
  /// stopped runtime.
  const void* which = nullptr;
  stoppable* next = nullptr;
  /// Twice the version of which its own answer is known, and one more if that is yes.
  mutable std::atomic<std::uint64_t> known{0};
};

/// How many groups of this process are stopped, and still there: as long as there are none, no task
/// need look further.
EVENCUBE_EXPORT extern constinit std::atomic<std::uint32_t> stopped_groups;
/// How often a group has been stopped, or is so no longer (invariant waiting.stop-version).
EVENCUBE_EXPORT extern constinit std::atomic<std::uint64_t> stop_version;

/// The group, or the runtime, is stopped from now on. Any thread; more than once.
EVENCUBE_EXPORT void request_stop(stoppable& group, const void* which) noexcept;
/// It goes.
void forget_stop(stoppable& group) noexcept;
/// The group is as if nobody had stopped it. Any thread; no matter if it is not stopped.
void withdraw_stop(stoppable& group) noexcept;
/// In a forked child no group is stopped but those that are from now on.
void forget_all_stops() noexcept;

/// Whether the node stands below a stopped group, or is one, or its runtime is stopped, known by
/// the address of its scheduler. Takes a lock; O(depth * groups).
EVENCUBE_EXPORT bool stands_below_a_stop(const node* n, const void* runtime) noexcept;
inline bool stop_requested(const node* n, const void* runtime) noexcept {
  // Acquire: pairs with the release in `request_stop`: what led to the stop has happened.
  return stopped_groups.load(std::memory_order_acquire) != 0 &&
         detail::stands_below_a_stop(n, runtime);
}

/// Looks it up for a group, and remembers it. Takes a lock; O(depth * groups).
EVENCUBE_EXPORT bool look_up_stop(const node& group, const void* runtime,
                                  const stoppable& its) noexcept;
/// The same of a group: its ancestors never change, so the answer does only with the
/// version.
inline bool stop_requested(const node& group, const void* runtime, const stoppable& its) noexcept {
  if (stopped_groups.load(std::memory_order_relaxed) == 0) return false;
  // Acquire: pairs with the releases in `request_stop`, whoever has looked it up.
  const std::uint64_t version = stop_version.load(std::memory_order_acquire);
  const std::uint64_t known = its.known.load(std::memory_order_relaxed);
  return known / 2 == version ? known % 2 != 0 : detail::look_up_stop(group, runtime, its);
}

}  // namespace evencube::detail
