#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/signal_word.hpp>

#include "sync/parking.hpp"

namespace evencube::detail {

/// How the balancer's thread sleeps, and how it is called to lead a round. A call that comes too
/// soon is kept and served when its time has come (invariant migration.kept).
template <typename Atomics = std_atomics>
class basic_round_calls {
 public:
  /// Called by any thread: the thread begins a round after this call.
  void call() noexcept {
    // Only the first call since the last round rings. Acq_rel: pairs with the exchange in `serve`.
    // If that comes later, its round reads the load that made this thread call.
    if (kept_.exchange(1, std::memory_order_acq_rel) == 0) bell_.raise(signal_work);
  }
  /// Called when the runtime is not held any more.
  void gate_opened() noexcept { bell_.raise(signal_hold); }
  void stop() noexcept { bell_.raise(signal_stop); }

  /// The loop of the thread, until `stop`. It calls `round()` after each call, but not before
  /// `due()`, a time in nanoseconds that may move, and `period_ns` after the last call or round, if
  /// that is not 0. If `round()` returns false, the runtime is held, and the round follows when the
  /// gate has opened.
  template <typename Due, typename Round>
  void serve(std::int64_t period_ns, Due&& due, Round&& round) {
    bool called = false;
    bool held = false;
    for (;;) {
      const bool rests = called && !held;
      const std::int64_t rest_ns = rests ? due() - Atomics::now() : 0;
      if (!rests || rest_ns > 0) {
        park(bell_, [] {}, [] { return false; }, [] {}, rests ? rest_ns : period_ns);
      }
      const std::uint32_t bits = bell_.take();
      if ((bits & signal_stop) != 0) return;
      held = false;
      called = called || (bits & signal_work) != 0;
      const bool period_ended = period_ns != 0 && bits == 0 && !rests;
      if (!period_ended && !(called && Atomics::now() >= due())) continue;
      kept_.exchange(0, std::memory_order_acq_rel);
      held = !round();
      called = held;
    }
  }

 private:
  /// 1 from a call until the round that serves it begins.
  typename Atomics::template atomic<std::uint32_t> kept_{0};
  basic_signal_word<Atomics> bell_;
};

}  // namespace evencube::detail
