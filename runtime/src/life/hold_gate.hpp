#pragma once

#include <cstdint>
#include <mutex>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>

namespace evencube::detail {

/// The gate at which workers stand still between two tasks while a thread holds the runtime
/// (invariant hold.counted). There is one holder at a time.
template <typename Atomics = std_atomics>
class basic_hold_gate {
 public:
  /// Seq_cst: read after a thread has taken or left the caller's seat; pairs with the store in
  /// `close`, after which the holder reads whether the caller's seat is taken.
  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }

  /// Called by the holder, which rings all workers afterwards.
  void close() noexcept {
    const std::lock_guard guard(lock_);
    ++number_;
    still_ = 0;
    closed_.store(true, std::memory_order_seq_cst);
  }
  /// Waits until as many workers stand still as `expected()` says. Calls it again after every
  /// change.
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

  /// Called by a worker between two tasks. If the gate is closed, calls `before`, counts the worker
  /// and waits until the gate opens.
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
    // A worker that wakes only after the next hold has begun goes on all the same. It is counted at
    // its next boundary. So holds in close succession stop no worker for good.
    wait_until([&] { return number_ != mine || !closed_.load(std::memory_order_relaxed); });
  }

  /// Called after a seq_cst change of something that `expected` reads. A holder that waits checks
  /// again, and one that closes the gate later sees the change. So while the gate is open this
  /// makes no system call.
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
      // Acquire: a change after this check changes the number, and then the sleep returns at once.
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
  typename Atomics::template plain<std::uint64_t> number_{0};  // the number of the hold
  typename Atomics::template atomic<std::uint32_t> changes_{0};
};

}  // namespace evencube::detail
