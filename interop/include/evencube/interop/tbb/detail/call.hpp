#pragma once

#include <atomic>
#include <utility>

#include <evencube/interop/tbb/task_group_context.hpp>

namespace evencube::tbb {

namespace detail {

/// One call of an algorithm. An exception of a body cancels the bodies that have not begun.
/// Everything that is read here is a hint, so it is relaxed: results and exceptions travel by the
/// joins.
class call {
 public:
  explicit call(const task_group_context* context) : context_(context) {}
  [[nodiscard]] bool cancelled() const noexcept {
    return failed_.load(std::memory_order_relaxed) ||
           (context_ != nullptr && context_->is_group_execution_cancelled());
  }
  template <typename F>
  void run(const F& body) {
    if (cancelled()) return;
    struct inside {
      const call* outer;
      ~inside() { here = outer; }
    } const restored{std::exchange(here, this)};
    try {
      body();
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }
  /// True if the call whose body runs on this thread is cancelled.
  [[nodiscard]] static bool innermost_is_cancelled() noexcept {
    return here != nullptr && here->cancelled();
  }

 private:
  static inline thread_local const call* here = nullptr;

  const task_group_context* context_;
  std::atomic<bool> failed_{false};
};

}  // namespace detail

}  // namespace evencube::tbb
