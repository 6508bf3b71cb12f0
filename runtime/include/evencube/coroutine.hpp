#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
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

// Coroutines on the runtime. <evencube/evencube.hpp> does not include this header.

namespace evencube {

/// A coroutine that has not begun, with a result of type T: a value, a reference or void. The
/// coroutine begins when the task is awaited, started or waited for, which can be done only once.
/// The coroutine may end on any worker. Move-only. Destroying a task that has not begun only
/// destroys the coroutine's parameters. Once begun, a coroutine must not be destroyed before it
/// ends; for an awaited coroutine this cannot happen.
///
/// Inside a coroutine, `co_await` accepts tasks, futures, `when_all` and `when_any` of tasks,
/// `runtime::schedule` and awaitables of other libraries. An awaited task begins immediately on the
/// thread of the awaiting coroutine; the stack does not grow with the number or the depth of
/// awaits. A suspended coroutine occupies no worker. After a `co_await` the coroutine may be on
/// another worker, so groups, loops, forks and locks must begin and end between two awaits.
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
  /// Swaps the coroutines of the two tasks.
  void swap(task& other) noexcept { std::swap(coroutine_, other.coroutine_); }

  /// Returns true if the task has a coroutine. Awaiting or starting a task without a coroutine
  /// throws evencube::error.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// Runs the coroutine and returns its result, or rethrows its exception. A task can be awaited
  /// only once, as an rvalue: write `co_await std::move(t)` for a named task.
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

/// Starts the coroutine `body` as a task of `runtime`, from any thread, and returns a future for
/// its result. `get`, `then`, `when_all` and `co_await` work as with any other future. The future
/// may be dropped: the coroutine still runs, and the runtime's destructor waits for it to end.
/// Throws the same exceptions as `runtime::async`; the coroutine is then destroyed.
template <typename T>
future<T> start(runtime& runtime, task<T> body, const spawn_options& options = {}) {
  detail::all_workers& workers = detail::workers_of(runtime);
  auto made = std::make_unique<detail::started<T>>(workers, std::move(body), 2);
  detail::spawn_future(workers, *made, options);
  return detail::future_access::make<T>(made.release());
}

/// Runs the coroutine `body` to its end as part of the calling task, and returns its result or
/// rethrows its exception. While the caller waits, its worker runs only work that belongs to the
/// coroutine or that the coroutine awaits. Inside the coroutine, `this_task::stop_requested`
/// returns the same value as in the calling task. Throws evencube::error outside of a runtime's
/// tasks, and std::bad_alloc.
template <typename T>
T sync_wait(task<T> body) {
  detail::all_workers& workers = detail::current_workers("sync_wait");
  auto made = std::make_unique<detail::started<T>>(workers, std::move(body), 1);
  made->parent_ = detail::current_worker->running();
  detail::count_coroutine(workers, *made);
  return detail::future_access::make<T>(made.release()).get();
}
/// Runs the coroutine `body` to its end as a task of `runtime`, from any thread, and returns its
/// result or rethrows its exception. Throws the same exceptions as `runtime::run`.
template <typename T>
T sync_wait(runtime& runtime, task<T> body) {
  return runtime.run([&]() -> T { return evencube::sync_wait(std::move(body)); });
}

/// Spawns the coroutine `body` as a task of `group`. An exception that the coroutine throws counts
/// as one thrown by the group's task. If the group is stopped before the coroutine begins, the
/// coroutine is destroyed instead. The task waits for the coroutine like `sync_wait`, so it
/// occupies a worker even while the coroutine is suspended. If many coroutines wait for a long
/// time, `start` them instead and wait for their futures. Throws the same exceptions as
/// `task_group::spawn`.
template <typename T>
void spawn(task_group& group, task<T> body, const spawn_options& options = {}) {
  group.spawn([owned = std::move(body)]() mutable { evencube::sync_wait(std::move(owned)); },
              options);
}

/// @cond internal
template <typename T>
future<T> runtime::async(task<T> body, const spawn_options& options) {
  return evencube::start(*this, std::move(body), options);
}
template <typename T>
void task_group::spawn(task<T> body, const spawn_options& options) {
  evencube::spawn(*this, std::move(body), options);
}
/// @endcond

/// Returns an object that runs the tasks concurrently when it is awaited, which can be done only
/// once. The awaiting coroutine resumes when all tasks have ended. The result of the `co_await` is
/// a tuple of the tasks' results, with std::monostate for void, or void if all results are void. If
/// tasks throw, the first exception is rethrown once all tasks have ended, and the other exceptions
/// are dropped.
///
/// Each task except the first is queued in the awaiting coroutine's runtime. Nothing is allocated.
/// If the awaiting coroutine's thread is not a worker, the tasks run on that thread, one after
/// another.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] detail::all_tasks<T...> when_all(task<T>&&... tasks) {
  return detail::all_tasks<T...>(std::move(tasks)...);
}
/// Returns an object that runs any number of tasks concurrently when it is awaited, which can be
/// done only once. The awaiting coroutine resumes when all tasks have ended. The result is a
/// std::vector of the tasks' results; a reference becomes a std::reference_wrapper. If tasks throw,
/// the first exception is rethrown once all tasks have ended. The `co_await` may throw
/// std::bad_alloc, before any task has begun.
template <typename T>
[[nodiscard]] detail::many_tasks<T> when_all(std::vector<task<T>>&& tasks) {
  return detail::many_tasks<T>(std::move(tasks));
}

/// The outcome of a `when_any` of tasks: the index of the task that ended first, and its result
/// unless it is void. A reference becomes a std::reference_wrapper.
template <typename T>
struct first_of_tasks {
  std::size_t index = 0;
  detail::result_of_many<T> value;
};
template <>
struct first_of_tasks<void> {
  std::size_t index = 0;
};

namespace detail {

/// The state that the tasks of a `when_any` share.
template <typename T>
struct race_of_tasks {
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  std::stop_source others;
  std::atomic<std::size_t> first{nobody};
  // Written by the task that ends first, and read when all tasks have ended.
  std::optional<result_of_many<T>> value = std::nullopt;
  std::exception_ptr failure = nullptr;

  /// Returns true only for the first caller.
  bool is_won_by(std::size_t index) noexcept {
    std::size_t expected = nobody;
    // Relaxed, because no other task reads what the first one writes.
    return first.compare_exchange_strong(expected, index, std::memory_order_relaxed);
  }
};

template <typename T>
evencube::task<> run_in_race(race_of_tasks<T>& race, std::size_t index, evencube::task<T> body) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(body);
      if (!race.is_won_by(index)) co_return;
    } else {
      decltype(auto) result = co_await std::move(body);
      if (!race.is_won_by(index)) co_return;
      race.value.emplace(std::forward<decltype(result)>(result));
    }
  } catch (...) {
    // Moving the first task's value may also have thrown.
    if (!race.is_won_by(index) && race.first.load(std::memory_order_relaxed) != index) co_return;
    race.failure = std::current_exception();
  }
  race.others.request_stop();
}

template <typename T>
evencube::task<first_of_tasks<T>> first_of(std::stop_source others,
                                           std::vector<evencube::task<T>> tasks) {
  race_of_tasks<T> race{std::move(others)};
  std::vector<evencube::task<>> runners;
  runners.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    runners.push_back(detail::run_in_race(race, i, std::move(tasks[i])));
  }
  co_await evencube::when_all(std::move(runners));
  if (race.failure != nullptr) std::rethrow_exception(std::move(race.failure));
  const std::size_t index = race.first.load(std::memory_order_relaxed);
  if constexpr (std::is_void_v<T>) {
    co_return first_of_tasks<void>{index};
  } else {
    first_of_tasks<T> result{index, *std::move(race.value)};
    co_return result;
  }
}

}  // namespace detail

/// Returns a task that runs `tasks` concurrently. When the first of `tasks` has ended, with a
/// result or an exception, the returned task requests a stop through `others`. When all of `tasks`
/// have ended, the returned task returns the first task's index and result, or rethrows its
/// exception. The results and exceptions of the other tasks are dropped. No task is left running,
/// so `tasks` may use objects of the caller's coroutine. Pass the token of `others` to the tasks:
/// those that check it end early; the other tasks run to their end. Throws std::invalid_argument if
/// `tasks` is empty. Awaiting the returned task may throw std::bad_alloc.
template <typename T>
[[nodiscard]] task<first_of_tasks<T>> when_any(std::stop_source others,
                                               std::vector<task<T>>&& tasks) {
  if (tasks.empty()) throw std::invalid_argument("when_any: there is no task to wait for");
  return detail::first_of(std::move(others), std::move(tasks));
}
/// Returns a task that concurrently runs tasks whose results have the same type, like `when_any` of
/// a vector. The returned task requests a stop through `others` when the first task has ended, and
/// returns that task's result when all tasks have ended. Both this call and awaiting the returned
/// task may throw std::bad_alloc.
template <typename T, std::same_as<task<T>>... More>
[[nodiscard]] task<first_of_tasks<T>> when_any(std::stop_source others, task<T>&& first,
                                               More&&... more) {
  std::vector<task<T>> tasks;
  tasks.reserve(1 + sizeof...(More));
  tasks.push_back(std::move(first));
  (tasks.push_back(std::move(more)), ...);
  return detail::first_of(std::move(others), std::move(tasks));
}

}  // namespace evencube
