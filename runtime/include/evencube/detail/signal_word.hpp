#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// Bits of a worker's signal word.
enum signal : std::uint32_t {
  signal_parked = 1,  // set by the worker alone, when it goes to sleep
  signal_mail = 2,    // the mailbox holds tasks
  signal_work = 4,    // somebody shared work, or has work nobody looks after
  signal_done = 8,    // what it waits for may be done
  signal_hold = 16,   // stop at the next task boundary
  signal_stop = 32    // leave the main loop
};

/// The doorbell and the bed of one thread in one word, so that no wake-up can fall between looking
/// and lying down (invariant parking.word). Everybody raises bits; only the thread
/// takes them.
template <typename Atomics = std_atomics>
class basic_signal_word {
 public:
  /// Sets bits; wakes the worker if it sleeps, and says whether it did. Release: what was written
  /// before is seen by the worker that takes the bits.
  bool raise(std::uint32_t bits) noexcept {
    const bool parked = (word_.fetch_or(bits, std::memory_order_acq_rel) & signal_parked) != 0;
    if (parked) Atomics::wake(word_, 1);
    return parked;
  }

  [[nodiscard]] bool raised() const noexcept { return word_.load(std::memory_order_relaxed) != 0; }

  /// The bits as they are, for people.
  [[nodiscard]] std::uint32_t bits() const noexcept {
    return word_.load(std::memory_order_relaxed);
  }

  /// Whether the thread sleeps, and nothing has been raised. Acquire: what it did before. Release,
  /// for which it is a read-modify-write: what the caller looked at before, it did not look at
  /// later.
  [[nodiscard]] bool asleep() noexcept {
    return word_.fetch_or(0, std::memory_order_acq_rel) == signal_parked;
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
    while (word_.load(std::memory_order_relaxed) == signal_parked)
      Atomics::wait(word_, signal_parked);
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
    Atomics::wait_for(word_, signal_parked, nanoseconds);
    word_.fetch_and(~std::uint32_t{signal_parked}, std::memory_order_relaxed);
  }

 private:
  typename Atomics::template atomic<std::uint32_t> word_{0};
};

using signal_word = basic_signal_word<>;

}  // namespace evencube::detail
