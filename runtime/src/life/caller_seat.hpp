#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/signal_word.hpp>

namespace evencube::detail {

/// Who is worker 0 at the moment.
enum class occupant : std::uint32_t {
  nobody,
  caller,  ///< a thread inside `runtime::run`
  standby  ///< the thread of the caller's seat itself
};

/// The place of worker 0. A caller of `run` sits there until its function returns; in between, the
/// standby thread, once there is one, takes the seat whenever there is work and leaves it when it
/// finds none (runtime/src/life/caller_seat.md).
template <typename Atomics = std_atomics>
class basic_caller_seat {
 public:
  /// False if somebody is there.
  bool take(occupant who) noexcept {
    occupant nobody = occupant::nobody;
    // Seq_cst: before the gate is looked at (invariant hold.counted), and before work is
    // (parking.last-look).
    return who_.compare_exchange_strong(nobody, who, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }
  /// The leaver looks for work afterwards that somebody else has to do.
  void leave() noexcept { who_.store(occupant::nobody, std::memory_order_seq_cst); }

  [[nodiscard]] bool vacant() const noexcept {
    return who_.load(std::memory_order_seq_cst) == occupant::nobody;
  }

  /// Whether a thread outside sits there, in `run`.
  [[nodiscard]] bool has_caller() const noexcept {
    return who_.load(std::memory_order_seq_cst) == occupant::caller;
  }

  /// Where the standby thread sleeps.
  [[nodiscard]] basic_signal_word<Atomics>& standby_bell() noexcept { return standby_bell_; }
  /// Before anything is given to it. Seq_cst, both: with `vacant` and the count of who sleeps in
  /// waits they tell whether anybody may come; who makes the thread sends, or waits, afterwards.
  void set_standby() noexcept { has_standby_.store(true, std::memory_order_seq_cst); }
  [[nodiscard]] bool has_standby() const noexcept {
    return has_standby_.load(std::memory_order_seq_cst);
  }

 private:
  typename Atomics::template atomic<occupant> who_{occupant::nobody};
  typename Atomics::template atomic<bool> has_standby_{false};
  basic_signal_word<Atomics> standby_bell_;
};

}  // namespace evencube::detail
