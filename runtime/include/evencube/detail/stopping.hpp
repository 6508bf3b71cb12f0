#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The data of a group, or of a runtime, that can be stopped.
struct stoppable {
  /// True if tasks of the group are dropped when it is stopped: for groups of users, not for those
  /// of loops.
  bool check_stops = false;
  std::atomic<bool> requested{false};
  /// The entry in the list of stopped groups, guarded by the lock of the list: the address of the
  /// group's node, or of the workers of a stopped runtime.
  const void* address = nullptr;
  stoppable* next = nullptr;
  /// The last known answer: twice its version, plus one if the answer is yes.
  mutable std::atomic<std::uint64_t> known{0};
};

/// The number of groups and runtimes of this process that are stopped and still exist. While it is
/// 0, no task needs to check further.
EVENCUBE_EXPORT extern constinit std::atomic<std::uint32_t> stopped_groups;
/// The number of stops and of withdrawals of stops (invariant waiting.stop-version).
EVENCUBE_EXPORT extern constinit std::atomic<std::uint64_t> stop_version;

/// Stops the group or the runtime. Any thread may call this, also repeatedly.
EVENCUBE_EXPORT void request_stop(stoppable& group, const void* address) noexcept;
/// Called when the group is destroyed: takes it out of the list.
void forget_stop(stoppable& group) noexcept;
/// Withdraws the stop of a group. Any thread; does nothing if the group is not stopped.
void withdraw_stop(stoppable& group) noexcept;
/// Called in a forked child: no group is stopped there, until one is stopped in the child.
void forget_all_stops() noexcept;

/// True if the node is a stopped group, or below one, or if its runtime is stopped. `runtime` is
/// the address of the runtime's workers. Takes a lock; O(depth * groups).
EVENCUBE_EXPORT bool stands_below_a_stop(const node* n, const void* runtime) noexcept;
inline bool stop_requested(const node* n, const void* runtime) noexcept {
  // Acquire: pairs with the release in `request_stop`: what led to the stop has happened.
  return stopped_groups.load(std::memory_order_acquire) != 0 &&
         detail::stands_below_a_stop(n, runtime);
}

/// Looks up the answer for a group, and stores it. Takes a lock; O(depth * groups).
EVENCUBE_EXPORT bool look_up_stop(const node& group, const void* runtime,
                                  const stoppable& its) noexcept;
/// True if the group is stopped. Its ancestors never change, so the stored answer is valid as long
/// as the version is the same.
inline bool stop_requested(const node& group, const void* runtime, const stoppable& its) noexcept {
  if (stopped_groups.load(std::memory_order_relaxed) == 0) return false;
  // Acquire: pairs with the releases in `request_stop`, whichever thread looked up the answer.
  const std::uint64_t version = stop_version.load(std::memory_order_acquire);
  const std::uint64_t known = its.known.load(std::memory_order_relaxed);
  return known / 2 == version ? known % 2 != 0 : detail::look_up_stop(group, runtime, its);
}

}  // namespace evencube::detail
