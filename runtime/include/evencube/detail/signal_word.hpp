#pragma once

#include <atomic>
#include <cstdint>

namespace evencube::detail {

/// Bits of a worker's signal word.
enum signal : std::uint32_t {
  signal_parked = 1,  // set by the worker alone, when it goes to sleep
  signal_mail = 2,    // letters or links hold tasks
  signal_work = 4,    // somebody shared work, or has work nobody looks after
  signal_done = 8,    // what it waits for may be done
  signal_hold = 16,   // stop at the next task boundary
  signal_stop = 32    // leave the main loop
};

/// Waits on, and wakes through, a 32-bit word of the kernel.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::int64_t nanoseconds) noexcept;
void futex_wake(std::atomic<std::uint32_t>& word, int how_many) noexcept;

/// A worker's doorbell and bed in one word, so that no wake-up can fall between looking and lying
/// down (invariant S of runtime/docs/sleeping.md). Everybody raises bits; only the worker takes
/// them.
class signal_word {
 public:
  /// Sets bits; wakes the worker if it sleeps. Release: what was written before is seen by the
  /// worker that takes the bits.
  void raise(std::uint32_t bits) noexcept {
    if ((word_.fetch_or(bits, std::memory_order_acq_rel) & signal_parked) != 0) {
      futex_wake(word_, 1);
    }
  }

  [[nodiscard]] bool raised() const noexcept { return word_.load(std::memory_order_relaxed) != 0; }

  /// The bits as they are, for people.
  [[nodiscard]] std::uint32_t bits() const noexcept {
    return word_.load(std::memory_order_relaxed);
  }

  /// Takes all bits, or those of `bits`. Acquire: pairs with `raise`.
  std::uint32_t take() noexcept { return word_.exchange(0, std::memory_order_acq_rel); }
  std::uint32_t take(std::uint32_t bits) noexcept {
    return word_.fetch_and(~bits, std::memory_order_acq_rel) & bits;
  }

  /// Sleeps until a bit is raised; returns at once if one is. The bits stay for `take`.
  void sleep() noexcept {
    std::uint32_t expected = 0;
    if (!word_.compare_exchange_strong(expected, signal_parked, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return;
    }
    while (word_.load(std::memory_order_relaxed) == signal_parked) futex_wait(word_, signal_parked);
    // Acquire by `take`, which the worker calls next.
    word_.fetch_and(~std::uint32_t{signal_parked}, std::memory_order_relaxed);
  }

  /// The same for at most so many nanoseconds.
  void sleep_for(std::int64_t nanoseconds) noexcept {
    std::uint32_t expected = 0;
    if (!word_.compare_exchange_strong(expected, signal_parked, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return;
    }
    futex_wait_for(word_, signal_parked, nanoseconds);
    word_.fetch_and(~std::uint32_t{signal_parked}, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};

}  // namespace evencube::detail
