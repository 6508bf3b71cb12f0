#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// Puts a thread to sleep; all threads sleep by this function. It announces the sleep, checks once
/// more everything of which no bit is raised, sleeps until the bell rings (or for at most
/// `at_most_ns` nanoseconds, if that is not 0), and retracts the announcement. The check finds work
/// that came before the announcement. A thread that brings work afterwards sees the announcement
/// and rings (invariant parking.last-look).
template <typename Bell, typename Announce, typename Found, typename Retract>
void park(Bell& bell, Announce&& announce, Found&& found, Retract&& retract,
          std::int64_t at_most_ns = 0) {
  announce();
  if (!found()) {
    if (at_most_ns != 0) {
      bell.sleep_for(at_most_ns);
    } else {
      bell.sleep();
    }
  }
  retract();
}

/// The workers that sleep without work or are about to: a bit for each place.
template <typename Atomics = std_atomics>
class basic_idle_set {
 public:
  explicit basic_idle_set(std::uint32_t places) : bits_((places + 63) / 64) {}

  void announce(std::uint32_t k) noexcept {
    // Seq_cst, here and in `wake_one`: invariant parking.last-look.
    bits_[k / 64].fetch_or(std::uint64_t{1} << (k % 64), std::memory_order_seq_cst);
  }
  void retract(std::uint32_t k) noexcept {
    bits_[k / 64].fetch_and(~(std::uint64_t{1} << (k % 64)), std::memory_order_relaxed);
  }

  /// True if no worker is idle. A hint: the answer may be out of date at once.
  [[nodiscard]] bool none() const noexcept {
    return std::all_of(bits_.begin(), bits_.end(),
                       [](const auto& bits) { return bits.load(std::memory_order_relaxed) == 0; });
  }

  /// Removes one idle worker k for which `may(k)` holds and calls `wake(k)`. False if there is
  /// none.
  template <typename May, typename Wake>
  bool wake_one(May&& may, Wake&& wake) noexcept {
    for (std::uint32_t i = 0; i < bits_.size(); ++i) {
      std::uint64_t bits = bits_[i].load(std::memory_order_seq_cst);
      while (bits != 0) {
        const std::uint64_t one = bits & (~bits + 1);
        const std::uint32_t k = i * 64 + static_cast<std::uint32_t>(std::countr_zero(one));
        bits &= ~one;
        if (!may(k)) continue;
        // The thread that clears the bit wakes the worker, so two threads wake two workers.
        if ((bits_[i].fetch_and(~one, std::memory_order_seq_cst) & one) != 0) {
          wake(k);
          return true;
        }
      }
    }
    return false;
  }

 private:
  std::vector<typename Atomics::template atomic<std::uint64_t>> bits_;
};

}  // namespace evencube::detail
