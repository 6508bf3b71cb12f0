#include <evencube/detail/stopping.hpp>

#include <mutex>
#include <new>

#include <evencube/detail/futex_lock.hpp>

namespace evencube::detail {

constinit std::atomic<std::uint32_t> stopped_groups{0};

namespace {

constinit basic_futex_lock<> list_lock;
constinit stoppable* first = nullptr;

}  // namespace

void request_stop(stoppable& group, const node& which) noexcept {
  const std::lock_guard lock(list_lock);
  if (group.requested.exchange(true, std::memory_order_relaxed)) return;
  group.which = &which;
  group.next = first;
  first = &group;
  // Release: pairs with the acquire in `stop_requested`.
  stopped_groups.fetch_add(1, std::memory_order_release);
}

void forget_stop(stoppable& group) noexcept {
  if (!group.requested.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(list_lock);
  for (stoppable** at = &first; *at != nullptr; at = &(*at)->next) {
    if (*at != &group) continue;
    *at = group.next;
    stopped_groups.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
}

void forget_all_stops() noexcept {
  // Who held the lock stayed in the parent, perhaps in the middle of a change.
  ::new (static_cast<void*>(&list_lock)) basic_futex_lock<>;
  first = nullptr;
  stopped_groups.store(0, std::memory_order_relaxed);
}

bool stands_below_a_stop(const node* n) noexcept {
  const std::lock_guard lock(list_lock);
  for (; n != nullptr; n = n->parent_) {
    for (const stoppable* s = first; s != nullptr; s = s->next) {
      if (s->which == n) return true;
    }
  }
  return false;
}

}  // namespace evencube::detail
