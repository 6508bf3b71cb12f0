#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/spawning.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/spawn_options.hpp>

namespace evencube {

class arena;
class runtime;

/// The result of a wait for a group.
enum class wait_status {
  /// All tasks of the group have run to their end.
  completed,
  /// The group was stopped. Those of its tasks that had not begun were dropped.
  stopped
};

/// A set of tasks that can be waited for together. Create a group in the scope in which you wait
/// for it. A group created inside a task must be waited for and destroyed by that task. A group
/// created outside of tasks may be used by any thread; several threads may spawn into it and wait
/// for it concurrently. The tasks of a group may spawn more tasks into the group. A group that is
/// empty or has been waited for may outlive its runtime, but then accepts no more tasks.
class task_group {
 public:
  /// Creates a group in the calling task's runtime. If the calling task is in an arena, the group's
  /// tasks run in that arena. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT task_group();
  /// Creates a group in `runtime`; may be called inside or outside of its tasks. If the caller is a
  /// task in an arena, the group's tasks run in that arena.
  EVENCUBE_EXPORT explicit task_group(runtime& runtime);
  /// Creates a group whose tasks run in `arena` (<evencube/arena.hpp>). Throws evencube::error if
  /// the arena's runtime no longer exists.
  EVENCUBE_EXPORT explicit task_group(arena& arena);
  /// Creates a group in the calling task's runtime. The group stops when a stop is requested
  /// through `token`; `request_stop` stops only this group. Throws evencube::error outside of a
  /// task.
  EVENCUBE_EXPORT explicit task_group(std::stop_token token);
  /// Creates a group in `runtime`. The group stops when a stop is requested through `token`;
  /// `request_stop` stops only this group.
  EVENCUBE_EXPORT task_group(runtime& runtime, std::stop_token token);
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the remaining tasks and drops their exceptions. In a forked child the destructor
  /// returns immediately. If there are remaining tasks that can never be waited for, the program is
  /// terminated, because these tasks would access freed memory. This happens if a group created by
  /// a task is destroyed on a thread other than the task's, or if a thread that holds the runtime
  /// destroys the group.
  EVENCUBE_EXPORT ~task_group();

  /// Queues `f()` as a task. Thread-safe within the rules of the class. If the calling task's
  /// worker already has more than 65536 tasks queued, a new task of normal priority runs
  /// immediately, to bound memory use. So the caller must not hold a lock that the new task needs.
  /// Tasks of high or low priority are always queued. Throws std::invalid_argument if the cost or
  /// the home is out of range, or if a home is combined with high or low priority. Throws
  /// std::bad_alloc if memory runs out. If `spawn` throws, the group is unchanged.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F>
  void spawn(F&& f, const spawn_options& options = {}) {
    detail::spawn_into(core_, std::forward<F>(f), options);
  }

  /// Spawns the coroutine `body` as a task of the group, like `evencube::spawn`. Requires
  /// <evencube/coroutine.hpp>.
  template <typename T>
  void spawn(task<T> body, const spawn_options& options = {});

  /// Waits until every task of the group has ended. Returns whether the group was stopped, or
  /// rethrows the first exception that a task threw. The other exceptions are dropped. If several
  /// threads wait concurrently, only one of them gets the exception. A waiting worker runs only
  /// tasks of this group and tasks that they spawn. The group may be used again afterwards.
  ///
  /// The result is not [[nodiscard]], because it is always `completed` for a group that is never
  /// stopped. Throws evencube::error if the group was created by a task on another worker, and in a
  /// forked child. Also throws evencube::error if tasks remain and the calling thread holds the
  /// runtime, or if the runtime no longer exists.
  EVENCUBE_EXPORT wait_status wait();

  /// Waits like `wait`, but no longer than `time`. Returns std::nullopt if tasks of the group
  /// remain when the time has passed. The group's tasks then continue, its exceptions are kept for
  /// the wait that sees the group end, and the group may be waited for again; `request_stop` ends
  /// it early. The call may return late, because a worker first finishes any task that it has begun
  /// meanwhile. If the worker slept and its own task is in an arena, the worker also waits for a
  /// free place in the arena. If `time` is zero or negative, the call only checks the group and
  /// begins no task. Throws the same exceptions as `wait`.
  template <typename Rep, typename Period>
  [[nodiscard]] std::optional<wait_status> wait_for(
      const std::chrono::duration<Rep, Period>& time) {
    return wait_limited(detail::deadline_after(time));
  }
  /// Waits like `wait_for`, but until `time`, a time point of any clock.
  template <typename Clock, typename Duration>
  [[nodiscard]] std::optional<wait_status> wait_until(
      const std::chrono::time_point<Clock, Duration>& time) {
    if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
      return wait_limited(detail::deadline_at(time));
    } else {
      // The clock may have been set back meanwhile.
      do {
        if (const auto ended = wait_for(detail::time_until(time))) return ended;
      } while (detail::time_until(time).count() > 0);
      return std::nullopt;
    }
  }

  /// Stops the group permanently. From now on, no task begins that belongs to the group or to a
  /// group that its tasks create in the same runtime. Tasks that have begun continue; they may
  /// check `this_task::stop_requested`. When workers find tasks that have not begun, they destroy
  /// the tasks' functions; then the wait for the group ends. Loops and forks of a running task are
  /// part of this task and run to their end. Any thread may call this function at any time. The
  /// call never waits.
  EVENCUBE_EXPORT void request_stop() noexcept;
  /// Returns true if this group, or the group of an ancestor task, was stopped.
  [[nodiscard]] bool stop_requested() const noexcept {
    return core_.owner() != nullptr ? core_.stopped() : stop_requested_outside();
  }

  /// Returns a token that reports when this group is stopped, by `request_stop` or through the
  /// token passed to its constructor. The group's tasks can pass the returned token to a condition
  /// wait, a graph or another library. The token may outlive the group. A callback registered with
  /// it runs on the thread that stops the group, before `request_stop` returns, and must not throw.
  /// The token reports a stop of an enclosing group, or of the runtime, only if that stop came
  /// before a call of this function. Code inside tasks should check `this_task::stop_requested`.
  /// Any thread that may spawn into the group may call this function. Only the first call allocates
  /// memory. Throws std::bad_alloc.
  [[nodiscard]] EVENCUBE_EXPORT std::stop_token stop_token();

 private:
  friend struct detail::task_group_access;

  struct stopper {
    task_group* group;
    void operator()() const noexcept { group->request_stop(); }
  };

  void take_number();
  bool wait_outside(std::int64_t deadline_ns);
  EVENCUBE_EXPORT std::optional<wait_status> wait_limited(std::int64_t deadline_ns);
  wait_status outcome();
  [[nodiscard]] EVENCUBE_EXPORT bool stop_requested_outside() const noexcept;

  detail::group_core core_;
  /// The runtime's number if the group was created outside of the runtime's tasks, because such a
  /// group may outlive the runtime.
  std::uint64_t runtime_id_;
  std::optional<std::stop_callback<stopper>> on_stop_;
  /// The address of the std::stop_source for `stop_token`, after the first call of `stop_token`.
  /// The lowest bit is set once `request_stop` was called.
  std::atomic<std::uintptr_t> handed_out_{0};
};

}  // namespace evencube
