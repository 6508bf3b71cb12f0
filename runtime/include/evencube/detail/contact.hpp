#pragma once

#include <atomic>

#include <evencube/detail/inbox.hpp>
#include <evencube/detail/lifeline.hpp>

namespace evencube::detail {

/// What other threads write of a worker: its inbox, the requests that they leave, and whether its
/// queue is open to all of them.
template <typename Policy>
class basic_contact {
 public:
  [[nodiscard]] basic_inbox<Policy>& inbox() noexcept { return inbox_; }
  [[nodiscard]] const basic_inbox<Policy>& inbox() const noexcept { return inbox_; }
  [[nodiscard]] basic_signal_word<Policy>& bell() noexcept { return inbox_.bell(); }
  [[nodiscard]] const basic_signal_word<Policy>& bell() const noexcept { return inbox_.bell(); }
  [[nodiscard]] basic_lifeline<Policy>& lifeline() noexcept { return lifeline_; }
  [[nodiscard]] const basic_lifeline<Policy>& lifeline() const noexcept { return lifeline_; }

  /// True if the queue is deserted, and so open to every worker, neighbour or not: its owner sleeps
  /// in a wait, or there is no thread to look after it (runtime/src/sync/parking.md).
  [[nodiscard]] bool deserted() const noexcept {
    // Seq_cst: read after an idle worker has announced itself; pairs with the store in
    // `set_deserted` (invariant parking.last-look).
    return deserted_.load(std::memory_order_seq_cst);
  }
  void set_deserted(bool value) noexcept { deserted_.store(value, std::memory_order_seq_cst); }
  /// Like `set_deserted`, for a lone worker: no other worker looks into its queue. Relaxed: a
  /// thread that sees that the caller's seat was left also sees this.
  void set_deserted_alone(bool value) noexcept {
    deserted_.store(value, std::memory_order_relaxed);
  }

 private:
  basic_inbox<Policy> inbox_;
  basic_lifeline<Policy> lifeline_;
  typename Policy::template atomic<bool> deserted_{false};
};

}  // namespace evencube::detail
