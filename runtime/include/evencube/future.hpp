#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/former.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/future_state.hpp>
#include <evencube/detail/invoke.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

template <typename T>
class future;

/// The outcome of a wait with a time limit: the result is ready, or the limit has passed.
enum class future_status { ready, timeout };

namespace rule {

/// A function that can be called with the future's result: with no argument for void, otherwise
/// with what `get` returns. It may be a pointer to a member function of the result, but not to a
/// data member, because a reference to this member would outlive the result.
template <typename F, typename T>
concept takes_the_result = (std::is_void_v<T> && requires(std::decay_t<F>& f) {
                             f();
                             requires begins_no_coroutine<decltype(f())>;
                           }) || requires(std::decay_t<F>& f, T (&get)()) {
  detail::invoke(f, get());
  requires begins_no_coroutine<decltype(detail::invoke(f, get()))>;
  requires !std::is_member_object_pointer_v<std::decay_t<F>>;
};

}  // namespace rule

namespace detail {

template <typename F, typename T>
struct result_of_continuation {
  using type = void;
};
template <typename F, typename T>
  requires(!std::is_void_v<T>) && rule::takes_the_result<F, T>
struct result_of_continuation<F, T> {
  using type =
      decltype(detail::invoke(std::declval<std::decay_t<F>&>(), std::declval<T (&)()>()()));
};
template <typename F, typename T>
  requires std::is_void_v<T> && rule::takes_the_result<F, T>
struct result_of_continuation<F, T> {
  using type = decltype(std::declval<std::decay_t<F>&>()());
};

/// Gives the library access to a future's state.
struct future_access {
  template <typename T>
  static future<T> make(future_state<T>* state) noexcept {
    return future<T>(state);
  }
  template <typename T>
  static future_state<T>* state(const future<T>& future) noexcept {
    return future.state_;
  }
};

/// Creates the future that `runtime::async` returns, or `arena::async` if `arena` is not null.
template <typename T, typename F>
future<T> make_future(all_workers& workers, F&& f, const spawn_options& options,
                      arena_core* arena = nullptr) {
  using task_type = future_task<std::decay_t<F>, T>;
  auto made = std::make_unique<task_type>(workers, std::forward<F>(f));
  if (arena != nullptr) made->put_into(*arena);
  detail::spawn_future(workers, *made, options, detail::type_of_function<std::decay_t<F>>());
  return future_access::make<T>(made.release());
}

}  // namespace detail

/// The result of a task started by `runtime::async` or of a continuation. Move-only. A future may
/// be dropped; its task still runs. A future may outlive its runtime, because the runtime's
/// destructor runs the task to its end. A future is not `valid` if it was default-constructed or
/// moved from, or after a call of `get` or `then`. All members of such a future except the
/// assignments, `swap` and `valid` throw evencube::error. Only one thread at a time may use a
/// future object.
template <typename T>
class future {
 public:
  future() noexcept = default;
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    future(std::move(other)).swap(*this);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->drop();
  }
  /// Swaps the results of the two futures.
  void swap(future& other) noexcept { std::swap(state_, other.state_); }

  /// Returns true if the future has, or will have, a result.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  /// Returns true if `get` would return or throw without waiting.
  [[nodiscard]] bool ready() const { return state().done(); }

  /// Waits until the task has ended. Any thread may call `wait`. A worker that waits runs the task
  /// itself if no other worker has begun it. Otherwise the worker runs tasks that the future's task
  /// needs, and tasks that they spawn. Throws evencube::error if the task has not ended and the
  /// calling thread holds the runtime or is in a forked child.
  void wait() const { detail::wait_for_future(state()); }

  /// Waits like `wait`, but no longer than `time`, and returns whether the result is ready. The
  /// call may return late, because a worker first finishes any task that it has begun meanwhile. If
  /// `time` is zero or negative, the call only checks the future, like `ready`, and begins no task.
  template <typename Rep, typename Period>
  [[nodiscard]] future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return detail::wait_for_future(state(), detail::deadline_after(time)) ? future_status::ready
                                                                          : future_status::timeout;
  }
  /// Waits like `wait_for`, but until `time`, a time point of any clock.
  template <typename Clock, typename Duration>
  [[nodiscard]] future_status wait_until(
      const std::chrono::time_point<Clock, Duration>& time) const {
    if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
      return detail::wait_for_future(state(), detail::deadline_at(time)) ? future_status::ready
                                                                         : future_status::timeout;
    } else {
      // The clock may have been set back meanwhile.
      do {
        if (wait_for(detail::time_until(time)) == future_status::ready) return future_status::ready;
      } while (detail::time_until(time).count() > 0);
      return future_status::timeout;
    }
  }

  /// Waits, then returns the value or rethrows the task's exception. Can be called only once; the
  /// future is not valid afterwards.
  T get() {
    wait();
    const future spent(std::move(*this));
    return spent.state_->take();
  }

  /// Calls `f(value)`, or `f()` for a future of void, in a task of the same runtime once the value
  /// is ready. Returns a future for the result of `f`. Afterwards `*this` is not valid, so a named
  /// future must be moved: `std::move(future).then(f)`. If this future ends with an exception, `f`
  /// is not called and the returned future ends with the same exception. So `f` takes a value, not
  /// a future.
  ///
  /// The call never waits. If this future is ready, `then` spawns the continuation like
  /// `runtime::async`, so it runs immediately if more than 65536 tasks are queued. If it is not
  /// ready yet, the worker that completes it queues the continuation. A chain of continuations uses
  /// no stack, however long it is. Throws the same exceptions as `task_group::spawn`. Throws
  /// evencube::error if the runtime no longer exists, or if the future belongs to no runtime and
  /// the caller is not a task. If `then` throws, this future is still valid, but `f` may have been
  /// moved from.
  template <typename F>
    requires rule::takes_the_result<F, T> && rule::movable_into_a_task<F> &&
             rule::keepable_result<typename detail::result_of_continuation<F, T>::type>
  auto then(F&& f, const spawn_options& options = {}) && {
    using result = typename detail::result_of_continuation<F, T>::type;
    using task_type = detail::continuation<std::decay_t<F>, T, result>;
    auto made = std::make_unique<task_type>(state(), std::forward<F>(f), options.cost, options.home,
                                            options.priority, options.name);
    detail::continue_with(*state_, *made, options);
    state_ = nullptr;
    return detail::future_access::make<result>(made.release());
  }
  /// The former spelling of `std::move(future).then(f)`.
  template <typename F>
    requires rule::takes_the_result<F, T> && rule::movable_into_a_task<F> &&
             rule::keepable_result<typename detail::result_of_continuation<F, T>::type>
  EVENCUBE_FORMER("use std::move(future).then(...)") auto then(
      F&& f, const spawn_options& options = {}) & {
    return std::move(*this).then(std::forward<F>(f), options);
  }

 private:
  friend detail::future_access;

  explicit future(detail::future_state<T>* state) noexcept : state_(state) {}

  [[nodiscard]] detail::future_state<T>& state() const {
    if (state_ == nullptr) detail::throw_spent_future();
    return *state_;
  }

  detail::future_state<T>* state_ = nullptr;
};

/// Creates a future that already holds `value`. The future belongs to the calling task's runtime
/// or, outside of tasks, to no runtime. Throws std::bad_alloc.
template <typename T>
[[nodiscard]] future<std::decay_t<T>> make_ready_future(T&& value) {
  using kept_type = std::decay_t<T>;
  return detail::future_access::make<kept_type>(
      new detail::ready_state<kept_type>(detail::runtime_id_here(), std::forward<T>(value)));
}
/// Creates a ready future<void>. The future belongs to the calling task's runtime or, outside of
/// tasks, to no runtime. Throws std::bad_alloc.
[[nodiscard]] inline future<void> make_ready_future() {
  return detail::future_access::make<void>(
      new detail::ready_state<void>(detail::runtime_id_here()));
}
/// Creates a future for `runtime` that already holds `value`. Its continuations run in `runtime`.
/// Throws std::bad_alloc.
template <typename T>
[[nodiscard]] future<std::decay_t<T>> make_ready_future(runtime& runtime, T&& value) {
  using kept_type = std::decay_t<T>;
  return detail::future_access::make<kept_type>(new detail::ready_state<kept_type>(
      detail::runtime_id_of(detail::workers_of(runtime)), std::forward<T>(value)));
}
/// Creates a ready future<void> for `runtime`. Its continuations run in `runtime`. Throws
/// std::bad_alloc.
[[nodiscard]] inline future<void> make_ready_future(runtime& runtime) {
  return detail::future_access::make<void>(
      new detail::ready_state<void>(detail::runtime_id_of(detail::workers_of(runtime))));
}

}  // namespace evencube
