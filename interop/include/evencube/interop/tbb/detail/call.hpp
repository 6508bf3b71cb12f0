#pragma once

#include <optional>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/floating_point.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/interop/tbb/task_scheduler_observer.hpp>

namespace evencube::tbb {

namespace detail {

/// One call of an algorithm. An exception of a body cancels the bodies that have not begun. Bodies
/// have the floating-point settings of the thread that makes the call, or of the context.
class call {
 public:
  /// Begins a call in the context, or in a context of its own if `context` is null. Make it in the
  /// task that runs the algorithm.
  explicit call(task_group_context* context) : arena_(here.arena), caller_(&here) {
    if (context != nullptr) {
      use_.emplace(*context);
      context_ = context;
      if (const auto& captured = context_access::settings(*context)) {
        settings_ = *captured;
        always_ = true;
      }
    } else {
      context_access::link_new(own_, here.context);
    }
  }
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call() = default;

  [[nodiscard]] bool cancelled() const noexcept {
    return context_access::cancelled_inside(*context_);
  }
  /// Leaves out the bodies that have not begun.
  void cancel() noexcept { context_->cancel_group_execution(); }
  /// Calls the body in the surroundings of the call, unless the call is cancelled.
  template <typename F>
  void run(const F& body) {
    if (!cancelled()) within(body);
  }
  /// Calls the body even if the call is cancelled.
  template <typename F>
  void within(const F& body) {
    const surroundings_scope now({context_, arena_});
    notice_observers();
    try {
      // The calling thread has the settings already.
      if (always_ || &here != caller_) {
        const floating_point_scope calculating(settings_);
        body();
      } else {
        body();
      }
    } catch (...) {
      detail::terminate_if_asked();
      context_->cancel_group_execution();
      throw;
    }
  }

 private:
  task_group_context own_;
  task_group_context* context_ = &own_;
  std::optional<context_use> use_;
  const void* arena_;
  const surroundings* caller_;  // of the thread that makes the call
  floating_point_settings settings_ = floating_point_settings::of_this_thread();
  bool always_ = false;
};

}  // namespace detail

namespace task {

/// Returns the context of the algorithm or group whose body calls, or null. The body may cancel it.
[[nodiscard]] inline task_group_context* current_context() noexcept { return detail::here.context; }

}  // namespace task

}  // namespace evencube::tbb
