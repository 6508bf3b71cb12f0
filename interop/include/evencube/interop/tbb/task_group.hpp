#pragma once

#include <type_traits>
#include <utility>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

enum task_group_status { not_complete, complete, canceled };

namespace detail {

/// The function of a task, whose exception cancels its group.
template <typename F>
struct cancelling {
  evencube::task_group* group;
  [[no_unique_address]] F function;

  void operator()() {
    try {
      function();
    } catch (...) {
      group->request_stop();
      throw;
    }
  }
};

}  // namespace detail

/// A group of tasks. If a task made it, that task must wait for it; any thread may use a group that
/// was made outside.
class task_group {
 public:
  task_group() = default;
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() = default;

  /// Runs f() as a task of the group.
  template <typename F>
  void run(F&& f) {
    group_.spawn(detail::cancelling<std::decay_t<F>>{&group_, std::forward<F>(f)});
  }
  /// Waits for the tasks. Throws the first exception of a task, which has cancelled the group. A
  /// cancelled group can be used again afterwards.
  task_group_status wait() {
    struct renewal {
      evencube::task_group& of;
      ~renewal() { evencube::detail::task_group_access::withdraw_stop(of); }
    } const after{group_};
    return group_.wait() == wait_status::stopped ? canceled : complete;
  }
  /// Runs f() and waits for the group, with the result and the exceptions of `wait`.
  template <typename F>
  task_group_status run_and_wait(const F& f) {
    run([&f] { f(); });
    return wait();
  }
  /// Cancels the group: its tasks that have not begun are left out.
  void cancel() noexcept { group_.request_stop(); }

 private:
  static evencube::task_group made_here() {
    if (runtime* const here = this_task::runtime()) return evencube::task_group(*here);
    const detail::outside_place place = detail::place_for_outside();
    if (place.part != nullptr) return evencube::task_group(*place.part);
    return evencube::task_group(place.of);
  }

  evencube::task_group group_ = made_here();
};

/// Returns true if the group of the calling task, or the algorithm whose body calls, was cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() noexcept {
  return this_task::stop_requested() || detail::call::innermost_is_cancelled();
}

}  // namespace evencube::tbb
