#include <evencube/detail/stopping.hpp>

#include <mutex>
#include <new>

#include <evencube/detail/futex_lock.hpp>

namespace evencube::detail {

constinit std::atomic<std::uint32_t> stopped_groups{0};
constinit std::atomic<std::uint64_t> stop_version{0};

namespace {

constinit basic_futex_lock<> stops_lock;
constinit stoppable* first_stopped = nullptr;

// The caller holds the lock.
bool finds_a_stop(const node* n, const void* runtime) noexcept {
  for (const stoppable* s = first_stopped; s != nullptr; s = s->next) {
    if (s->address == runtime) return true;
  }
  for (; n != nullptr; n = n->parent_) {
    for (const stoppable* s = first_stopped; s != nullptr; s = s->next) {
      if (s->address == n) return true;
    }
  }
  return false;
}

// The caller holds the lock.
void leave_list(const stoppable& group) noexcept {
  for (stoppable** at = &first_stopped; *at != nullptr; at = &(*at)->next) {
    if (*at != &group) continue;
    *at = group.next;
    stopped_groups.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
}

}  // namespace

void request_stop(stoppable& group, const void* address) noexcept {
  const std::lock_guard lock(stops_lock);
  if (group.requested.exchange(true, std::memory_order_relaxed)) return;
  group.address = address;
  group.next = first_stopped;
  first_stopped = &group;
  // Release, both: pair with the acquires in `stop_requested`.
  stop_version.fetch_add(1, std::memory_order_release);
  stopped_groups.fetch_add(1, std::memory_order_release);
}

void forget_stop(stoppable& group) noexcept {
  if (!group.requested.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(stops_lock);
  leave_list(group);
}

void withdraw_stop(stoppable& group) noexcept {
  if (!group.requested.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(stops_lock);
  if (!group.requested.exchange(false, std::memory_order_relaxed)) return;
  leave_list(group);
  // What this group and those below it know is of an older list. Release: as in `request_stop`.
  stop_version.fetch_add(1, std::memory_order_release);
}

void forget_all_stops() noexcept {
  // The thread that held the lock exists only in the parent, and may have been in the middle of a
  // change. The versions that groups know will have passed once a group is stopped here.
  ::new (static_cast<void*>(&stops_lock)) basic_futex_lock<>;
  first_stopped = nullptr;
  stopped_groups.store(0, std::memory_order_relaxed);
}

bool stands_below_a_stop(const node* n, const void* runtime) noexcept {
  const std::lock_guard lock(stops_lock);
  return finds_a_stop(n, runtime);
}

bool look_up_stop(const node& group, const void* runtime, const stoppable& its) noexcept {
  const std::lock_guard lock(stops_lock);
  const bool found = finds_a_stop(&group, runtime);
  // Relaxed: under the lock, this is the version of the present list. An older version is not used.
  its.known.store(stop_version.load(std::memory_order_relaxed) * 2 + (found ? 1 : 0),
                  std::memory_order_relaxed);
  return found;
}

}  // namespace evencube::detail
