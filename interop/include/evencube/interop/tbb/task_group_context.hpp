#pragma once

#include <atomic>

namespace evencube::tbb {

/// Cancels the algorithms to which it was given; their bodies that have not begun are left out.
class task_group_context {
 public:
  task_group_context() = default;
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  /// Cancels the algorithms. Returns true if this call was the one that cancelled.
  bool cancel_group_execution() noexcept {
    return !cancelled_.exchange(true, std::memory_order_relaxed);
  }
  /// Returns true if the algorithms were cancelled.
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }
  /// Ends the cancellation. Call this only while no algorithm runs to which the context was given.
  void reset() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace evencube::tbb
