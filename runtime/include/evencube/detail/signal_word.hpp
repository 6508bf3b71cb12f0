#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The bits of a signal word.
enum signal : std::uint32_t {
  signal_parked = 1,  // set by the thread alone, when it goes to sleep
  signal_mail = 2,    // the mailbox holds tasks
  signal_work = 4,    // there may be work to take
  signal_done = 8,    // the target of the wait may be done
  signal_hold = 16,   // stand still at the next task boundary
  signal_stop = 32    // leave the main loop
};

/// The doorbell of a thread and the place where it sleeps, in one word, so that no wake-up can fall
/// between the last check and the sleep (invariant parking.word). Any thread raises bits. Only the
/// thread itself takes them. The alignment leaves three bits of its address free for a fork's
/// state.
template <typename Atomics = std_atomics>
class alignas(8) basic_signal_word {
 public:
  /// Sets bits. Wakes the thread if it sleeps, and returns true if it did. Release: the thread that
  /// takes the bits sees what was written before.
  bool raise(std::uint32_t bits) noexcept {
    const bool parked = (word_.fetch_or(bits, std::memory_order_acq_rel) & signal_parked) != 0;
    if (parked) Atomics::wake(word_, 1);
    return parked;
  }

  [[nodiscard]] bool raised() const noexcept { return word_.load(std::memory_order_relaxed) != 0; }

  /// The present bits, for people.
  [[nodiscard]] std::uint32_t bits() const noexcept {
    return word_.load(std::memory_order_relaxed);
  }

  /// True if the thread sleeps and no bit has been raised. Acquire: the caller sees what the thread
  /// did before it slept. Release, for which it is a read-modify-write: what the caller read before
  /// this, it did not read later.
  [[nodiscard]] bool asleep() noexcept {
    return word_.fetch_or(0, std::memory_order_acq_rel) == signal_parked;
  }

  /// Takes all bits, or those in `bits`. Acquire: pairs with `raise`.
  std::uint32_t take() noexcept { return word_.exchange(0, std::memory_order_acq_rel); }
  std::uint32_t take(std::uint32_t bits) noexcept {
    return word_.fetch_and(~bits, std::memory_order_acq_rel) & bits;
  }

  /// Sleeps until a bit is raised. Returns at once if one is. The bits stay for `take`.
  void sleep() noexcept {
    std::uint32_t expected = 0;
    if (!word_.compare_exchange_strong(expected, signal_parked, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return;
    }
    while (word_.load(std::memory_order_relaxed) == signal_parked)
      Atomics::wait(word_, signal_parked);
    // Acquire: by `take`, which the worker calls next.
    word_.fetch_and(~std::uint32_t{signal_parked}, std::memory_order_relaxed);
  }

  /// Like `sleep`, with an end after `nanoseconds`.
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
