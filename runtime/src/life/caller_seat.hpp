#pragma once

#include <cstdint>
#include <mutex>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/signal_word.hpp>

#include "life/brief_runs.hpp"

namespace evencube::detail {

/// Which thread is worker 0 at the moment.
enum class occupant : std::uint32_t {
  nobody,
  caller,  ///< a thread inside `runtime::run`
  standby  ///< the standby thread
};

/// The seat of worker 0. A caller of `run` sits there until its function returns. In between, the
/// standby thread, once there is one, takes the seat when there is work and leaves it when it finds
/// none (runtime/src/life/caller_seat.md).
template <typename Atomics = std_atomics>
class basic_caller_seat {
 public:
  /// Returns false if the seat is taken.
  bool take(occupant taker) noexcept {
    occupant nobody = occupant::nobody;
    // Seq_cst: done before the gate is read (invariant hold.counted), and before work is looked for
    // (parking.last-look).
    return occupant_.compare_exchange_strong(nobody, taker, std::memory_order_seq_cst,
                                             std::memory_order_relaxed);
  }
  /// The leaving thread looks afterwards for work that another thread has to do.
  void leave() noexcept { occupant_.store(occupant::nobody, std::memory_order_seq_cst); }

  [[nodiscard]] bool vacant() const noexcept {
    return occupant_.load(std::memory_order_seq_cst) == occupant::nobody;
  }

  /// True if a thread outside sits in the seat, in `run`.
  [[nodiscard]] bool has_caller() const noexcept {
    return occupant_.load(std::memory_order_seq_cst) == occupant::caller;
  }

  /// The bell on which the standby thread sleeps.
  [[nodiscard]] basic_signal_word<Atomics>& standby_bell() noexcept { return standby_bell_; }
  /// Called before the standby thread is given anything to do. Seq_cst, both: together with
  /// `vacant` and the count of sleepers in waits, they tell whether any thread may come to work.
  /// The thread that makes the standby thread sends, or waits, afterwards.
  void set_standby() noexcept { has_standby_.store(true, std::memory_order_seq_cst); }
  [[nodiscard]] bool has_standby() const noexcept {
    return has_standby_.load(std::memory_order_seq_cst);
  }

  /// Calls `start`, which makes the standby thread, if there is none and none is ruled out. May be
  /// called by several threads at once, and throws what `start` throws.
  template <typename Start>
  void make_standby(Start&& start) {
    const std::lock_guard lock(making_);
    if (has_standby() || no_more_) return;
    start();
    set_standby();
  }
  /// Rules out that a standby thread is made from now on.
  void make_no_standby() noexcept {
    const std::lock_guard lock(making_);
    no_more_ = true;
  }

  /// What is known of the calls that run here. Used by the occupant alone.
  [[nodiscard]] brief_runs& runs() noexcept { return runs_; }

 private:
  typename Atomics::template atomic<occupant> occupant_{occupant::nobody};
  typename Atomics::template atomic<bool> has_standby_{false};
  basic_signal_word<Atomics> standby_bell_;
  basic_futex_lock<Atomics> making_;  // held by the one thread that makes the standby thread
  bool no_more_ = false;              // guarded by making_
  brief_runs runs_;
};

}  // namespace evencube::detail
