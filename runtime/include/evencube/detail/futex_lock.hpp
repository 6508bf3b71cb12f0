#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// A lock built on the sleep of the policy, so that the explorer sees which thread holds it.
/// States: 0 free, 1 held, 2 held and some thread sleeps. Works with std::lock_guard. May be
/// constructed again in a forked child.
template <typename Atomics = std_atomics>
class basic_futex_lock {
 public:
  void lock() noexcept {
    std::uint32_t free = 0;
    // Acquire, here and below: pairs with the release in `unlock`.
    if (state_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      return;
    }
    while (state_.exchange(2, std::memory_order_acquire) != 0) Atomics::wait(state_, 2);
  }
  /// For signal handlers, which go on without the lock if it is held, perhaps by the interrupted
  /// thread.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t free = 0;
    return state_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) Atomics::wake(state_, 1);
  }

 private:
  typename Atomics::template atomic<std::uint32_t> state_{0};
};

}  // namespace evencube::detail
