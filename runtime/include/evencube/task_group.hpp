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
  /// All tasks of the group have run.
  completed,
  /// The group was stopped. Its tasks that had not begun were dropped, not called.
  stopped
};

/// A set of tasks that can be waited for together. Make a group where you wait for it. A group made
/// inside a task must be waited for and destroyed by that task. A group made outside of tasks may
/// be used by any thread; several threads may spawn into it and wait for it concurrently. Tasks of
/// a group may spawn more tasks into it. A group that is empty, or was waited for, may outlive its
/// runtime; it then takes no more tasks.
class task_group {
 public:
  /// Makes a group of the calling task's runtime. If the calling task is in an arena, the group's
  /// tasks run in that arena. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT task_group();
  /// Makes a group of `runtime`, inside or outside of its tasks. If the caller is a task in
  /// an arena, the group's tasks run in that arena.
  EVENCUBE_EXPORT explicit task_group(runtime& runtime);
  /// Makes a group whose tasks run in `arena` (<evencube/arena.hpp>). Throws evencube::error
  /// if the arena's runtime is gone.
  EVENCUBE_EXPORT explicit task_group(arena& arena);
  /// Makes a group of the calling task's runtime. The group stops when `token` requests a stop.
  /// `request_stop` stops this group alone. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT explicit task_group(std::stop_token token);
  /// Makes a group of `runtime`. The group stops when `token` requests a stop. `request_stop`
  /// stops this group alone.
  EVENCUBE_EXPORT task_group(runtime& runtime, std::stop_token token);
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the tasks that are left and drops their exceptions. In a forked child the destructor
  /// returns immediately. The program ends if tasks are left that can never be waited for, because
  /// these tasks would continue in memory that is gone. This happens if a group made by a task is
  /// destroyed on a thread other than the task's, or if a thread that holds the runtime destroys
  /// the group.
  EVENCUBE_EXPORT ~task_group();

  /// Queues `f()` as a task. Thread-safe within the rules of the class. If the calling task's
  /// worker has more than 65536 tasks queued, a new task of normal priority runs immediately, so
  /// that memory stays bounded. So do not hold a lock that the new task needs. Tasks of high or low
  /// priority are always queued. Throws std::invalid_argument for a cost or a home out of range,
  /// and for a home together with a high or low priority. Throws std::bad_alloc if memory runs out.
  /// If `spawn` throws, the group is unchanged.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F>
  void spawn(F&& f, const spawn_options& options = {}) {
    detail::spawn_into(core_, std::forward<F>(f), options);
  }

  /// Spawns the coroutine `body` as a task of the group, as the function `spawn` does. Needs
  /// <evencube/coroutine.hpp>.
  template <typename T>
  void spawn(task<T> body, const spawn_options& options = {});

  /// Waits until every task of the group has ended. Returns whether the group was stopped, or
  /// throws the first exception of a task. The other exceptions are dropped. If several threads
  /// wait concurrently, one of them gets the exception. A waiting worker runs only tasks of this
  /// group and tasks that they spawn. The group may be used again afterwards.
  ///
  /// The result is not [[nodiscard]], because it is always `completed` for a group that is never
  /// stopped.
  /// Throws evencube::error if a task on another worker made the group, and in a forked child.
  /// Also throws evencube::error if tasks are left and the calling thread holds the runtime, or the
  /// runtime is gone.
  EVENCUBE_EXPORT wait_status wait();

  /// Waits like `wait`, but at most for `time`. Returns std::nullopt if tasks of the group are left
  /// at the end of that time. The group's tasks then continue, its exceptions are kept for the wait
  /// that sees its end, and it may be waited for again; `request_stop` ends it early. The call may
  /// return later, because a worker first finishes a task that it has begun meanwhile. If the
  /// worker slept and its own task is in an arena, the worker also waits for a free place in the
  /// arena. With a time of zero or less, the call only checks the group and begins no task. Throws
  /// the exceptions of `wait`.
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

  /// Stops the group for good. From now on, tasks of the group, and of groups that its tasks make
  /// in the same runtime, no longer begin. Tasks that have begun continue; they may check
  /// `this_task::stop_requested`. Workers that find a task that has not begun destroy the task's
  /// function. Then the group's wait ends. Loops and forks of a running task are part of this task
  /// and run to their end. Any thread may call this function at any time. The call never waits.
  EVENCUBE_EXPORT void request_stop() noexcept;
  /// Returns true if this group, or the group of a task above it, was stopped.
  [[nodiscard]] bool stop_requested() const noexcept {
    return core_.owner() != nullptr ? core_.stopped() : stop_requested_outside();
  }

  /// Returns a token that reports a stop of this group by `request_stop` or by the token of its
  /// constructor. The group's tasks can pass the returned token to a wait for a condition, a graph
  /// or another library. The token may outlive the group. A callback registered with it runs on the
  /// thread that stops the group, before `request_stop` returns, and must not throw. The token
  /// reports a stop of a group above, or of the runtime, only if that stop came before a call of
  /// this function. Code inside tasks should check `this_task::stop_requested`. Any thread that may
  /// spawn into the group may call this function. Only the first call allocates memory. Throws
  /// std::bad_alloc.
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
  /// The number of the runtime if the group was made outside of its tasks, because such a group may
  /// outlive the runtime.
  std::uint64_t runtime_id_;
  std::optional<std::stop_callback<stopper>> on_stop_;
  /// The address of the std::stop_source for `stop_token`, after the first call of `stop_token`.
  /// The lowest bit is set once `request_stop` was called.
  std::atomic<std::uintptr_t> handed_out_{0};
};

}  // namespace evencube
