#pragma once

#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <evencube/detail/all_tasks.hpp>
#include <evencube/detail/awaiting.hpp>
#include <evencube/detail/task_promise.hpp>
#include <evencube/runtime.hpp>
#include <evencube/schedule.hpp>
#include <evencube/task_group.hpp>

// Coroutines on the runtime. <evencube/evencube.hpp> does not include this.

namespace evencube {

/// A coroutine that has not begun, and its result later: T is a value, a reference or void. It
/// begins when it is awaited, started or waited for, each once, and ends on whatever worker it is
/// then. Move-only. Destroyed before it has begun, it destroys its parameters and that is all;
/// from then until its end it must not be destroyed, which is so by itself where it is awaited.
///
/// Within it, `co_await` takes: tasks, which run where the waiter was, at once, and cost no stack
/// however many follow or nest; `when_all` of tasks; futures; `runtime::schedule`; awaitables of
/// other libraries. A coroutine holds no worker while it is suspended. After `co_await` it may be
/// on another worker: groups, loops and forks are for the code between two of them, and so are
/// locks.
template <typename T = void>
class [[nodiscard]] task {
  static_assert(rule::keepable_result<T>, "the result of a task is kept until it is asked for");

 public:
  using promise_type = detail::task_promise<T>;

  task() noexcept = default;
  task(task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    task(std::move(other)).swap(*this);
    return *this;
  }
  ~task() {
    if (coroutine_) coroutine_.destroy();
  }
  void swap(task& other) noexcept { std::swap(coroutine_, other.coroutine_); }

  /// Whether there is a coroutine; where there is none, to await or start it throws
  /// evencube::error.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// Runs it and gives its result, or throws its exception. Once, and as a value: write
  /// `co_await std::move(t)` for one that has a name.
  [[nodiscard]] detail::task_awaiter<T> operator co_await() && {
    return detail::task_awaiter<T>(coroutine_);
  }

 private:
  friend detail::task_promise<T>;
  friend detail::task_access;

  explicit task(std::coroutine_handle<promise_type> made) noexcept : coroutine_(made) {}

  std::coroutine_handle<promise_type> coroutine_;
};

/// @cond internal
template <typename T>
task<T> detail::task_promise<T>::get_return_object() noexcept {
  return evencube::task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
/// @endcond

/// Starts a coroutine as a task of `on`, from any thread; gives the future of its result, for
/// which `get`, `then`, `when_all` and `co_await` are as for any other. The future may be dropped:
/// the coroutine runs all the same, and the runtime's destructor waits for its end.
/// Throws as `runtime::async` does; the coroutine is then destroyed.
template <typename T>
future<T> start(runtime& on, task<T> body, const spawn_options& options = {}) {
  detail::all_workers& of = detail::workers_of(on);
  auto made = std::make_unique<detail::started<T>>(of, std::move(body), 2);
  detail::spawn_future(of, *made, options);
  return detail::future_access::make<T>(made.release());
}

/// Runs a coroutine to its end, as part of the calling task: gives its result or throws its
/// exception. Meanwhile the worker runs what belongs to the coroutine, and what that awaits. Asked
/// within it, `this_task::stop_requested` says what it says to the caller.
/// Throws evencube::error outside of a runtime's tasks, std::bad_alloc.
template <typename T>
T sync_wait(task<T> body) {
  detail::all_workers& of = detail::current_workers("sync_wait");
  auto made = std::make_unique<detail::started<T>>(of, std::move(body), 1);
  made->parent_ = detail::current_worker->running();
  detail::count_coroutine(of, *made);
  return detail::future_access::make<T>(made.release()).get();
}
/// The same as a task of `on`: from any thread. Throws as `runtime::run` does.
template <typename T>
T sync_wait(runtime& on, task<T> body) {
  return on.run([&]() -> T { return evencube::sync_wait(std::move(body)); });
}

/// A coroutine as a task of a group: what it throws is the group's, and if the group is stopped
/// before it begins, it is destroyed instead. Waits for it as `sync_wait` does, so it keeps a
/// worker while it is suspended; where many wait for long, `start` them and wait for the futures.
/// Throws as `task_group::spawn` does.
template <typename T>
void spawn(task_group& into, task<T> body, const spawn_options& options = {}) {
  into.spawn([owned = std::move(body)]() mutable { evencube::sync_wait(std::move(owned)); },
             options);
}

/// To be awaited, once: runs the tasks at the same time and goes on when all have ended. Gives
/// their results as a tuple, with std::monostate for void; nothing if all are void. If some throw,
/// throws the first exception, the others are dropped; no sooner than all have ended.
///
/// Each but the first is queued for the workers of the runtime where the waiter runs; nothing is
/// allocated. On a thread that is no worker they run there, one after another.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] detail::all_tasks<T...> when_all(task<T>&&... tasks) {
  return detail::all_tasks<T...>(std::move(tasks)...);
}
/// The same for as many as there are, with a std::vector of the results (for references, of
/// std::reference_wrapper). Throws std::bad_alloc where it is awaited; nothing has begun then.
template <typename T>
[[nodiscard]] detail::many_tasks<T> when_all(std::vector<task<T>>&& tasks) {
  return detail::many_tasks<T>(std::move(tasks));
}

}  // namespace evencube
