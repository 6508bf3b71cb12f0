#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The workers that sleep without work, or are about to (invariant I of runtime/docs/sleeping.md).
template <typename Atomics = std_atomics>
class basic_idle_set {
 public:
  explicit basic_idle_set(std::uint32_t workers) : bits_((workers + 63) / 64) {}

  void announce(std::uint32_t k) noexcept {
    // Seq_cst, here and in take_one: invariant I.
    bits_[k / 64].fetch_or(std::uint64_t{1} << (k % 64), std::memory_order_seq_cst);
  }
  void retract(std::uint32_t k) noexcept {
    bits_[k / 64].fetch_and(~(std::uint64_t{1} << (k % 64)), std::memory_order_relaxed);
  }

  /// Takes one out and calls `wake` with it. False if there is none.
  template <typename Wake>
  bool wake_one(Wake&& wake) noexcept {
    for (std::uint32_t i = 0; i < bits_.size(); ++i) {
      std::uint64_t bits = bits_[i].load(std::memory_order_seq_cst);
      while (bits != 0) {
        const std::uint64_t one = bits & (~bits + 1);
        // Whoever clears the bit wakes the worker: two wakers find two workers.
        if ((bits_[i].fetch_and(~one, std::memory_order_seq_cst) & one) != 0) {
          wake(i * 64 + static_cast<std::uint32_t>(std::countr_zero(one)));
          return true;
        }
        bits = bits_[i].load(std::memory_order_seq_cst);
      }
    }
    return false;
  }

 private:
  std::vector<typename Atomics::template atomic<std::uint64_t>> bits_;
};

using idle_set = basic_idle_set<>;

/// Worker k has no work: lies down until a signal comes, unless `found` what no signal would tell
/// it.
template <typename Idle, typename Found, typename LieDown>
void sleep_idle(Idle& idle, std::uint32_t k, Found&& found, LieDown&& lie_down) {
  idle.announce(k);
  // Between the announcement and the sleep: what came before it is found here, what comes after it
  // sees the announcement and wakes this worker.
  if (!found()) lie_down();
  idle.retract(k);
}

/// A worker sleeps in a wait until a signal comes, unless what it waits for is done, or `found`
/// something to run meanwhile.
template <typename Wait, typename Flag, typename Count, typename Signals, typename Found>
void sleep_waiting(const Wait& wait, Flag& stranded, Count& blocked, Signals& signals,
                   Found&& found) {
  // Seq_cst: before the idle workers are looked at (invariant I). Also before `begin_sleep`: who
  // finds its mark on the group sees that this worker is to be woken (wake_stranded).
  stranded.store(true, std::memory_order_seq_cst);
  if (wait.begin_sleep()) {
    blocked.fetch_add(1, std::memory_order_seq_cst);
    if (!found()) signals.sleep();
    blocked.fetch_sub(1, std::memory_order_relaxed);
    wait.end_sleep();
  }
  stranded.store(false, std::memory_order_relaxed);
}

/// A group that others wait for has ended: wakes the worker if it may be one of them.
template <typename Flag, typename Signals>
void wake_stranded(const Flag& stranded, Signals& signals, std::uint32_t bits) noexcept {
  if (stranded.load(std::memory_order_seq_cst)) signals.raise(bits);
}

}  // namespace evencube::detail
