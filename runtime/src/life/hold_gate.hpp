#pragma once

#include <cstdint>
#include <mutex>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>

namespace evencube::detail {

/// Where workers stand still between two tasks while somebody holds the runtime (invariant
/// hold.counted). One holder at a time.
template <typename Atomics = std_atomics>
class basic_hold_gate {
 public:
  /// Seq_cst: after a thread has taken or left the caller's seat, pairs with the store in `close`,
  /// after which the holder looks whether the caller's seat is taken.
  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }

  /// By the holder, who rings all workers afterwards.
  void close() noexcept {
    const std::lock_guard guard(lock_);
    ++number_;
    still_ = 0;
    closed_.store(true, std::memory_order_seq_cst);
  }
  /// Until as many stand still as `expected()` says; asked again after every change.
  template <typename Expected>
  void await(Expected&& expected) noexcept {
    wait_until(
        [&] { return static_cast<std::int64_t>(still_) >= static_cast<std::int64_t>(expected()); });
  }
  void open() noexcept {
    {
      const std::lock_guard guard(lock_);
      closed_.store(false, std::memory_order_seq_cst);
    }
    change();
  }

  /// By a worker between two tasks: stays until the gate opens. `before` is called if it is closed,
  /// before the worker is counted.
  template <typename Before>
  void stand_still(Before&& before) noexcept {
    if (!closed()) return;
    before();
    std::uint64_t mine = 0;
    {
      const std::lock_guard guard(lock_);
      if (!closed_.load(std::memory_order_relaxed)) return;
      ++still_;
      mine = number_;
    }
    change();
    // Who wakes only when the next hold has begun goes on to its next boundary all the same, and is
    // counted there: holds one after the other stop nobody for good.
    wait_until([&] { return number_ != mine || !closed_.load(std::memory_order_relaxed); });
  }

  /// Something that `expected` looks at has changed, seq_cst: the holder that waits is to look
  /// again, and one that closes the gate later sees it. So where it is open no system is called.
  void tell_holder() noexcept {
    if (closed()) change();
  }

 private:
  void change() noexcept {
    // Release: pairs with the acquire in `wait_until`.
    changes_.fetch_add(1, std::memory_order_release);
    Atomics::wake(changes_, INT32_MAX);
  }

  template <typename Holds>
  void wait_until(Holds&& holds) noexcept {
    for (;;) {
      // Acquire: what changes after this look changes the number, and the sleep returns at once.
      const std::uint32_t seen = changes_.load(std::memory_order_acquire);
      {
        const std::lock_guard guard(lock_);
        if (holds()) return;
      }
      Atomics::wait(changes_, seen);
    }
  }

  basic_futex_lock<Atomics> lock_;
  typename Atomics::template atomic<bool> closed_{false};
  typename Atomics::template plain<std::uint32_t> still_{0};   // workers that stand still now
  typename Atomics::template plain<std::uint64_t> number_{0};  // of the hold
  typename Atomics::template atomic<std::uint32_t> changes_{0};
};

}  // namespace evencube::detail
