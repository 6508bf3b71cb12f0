#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/future_state.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

template <typename T>
class future;

/// How a wait with a limit has ended.
enum class future_status { ready, timeout };

namespace rule {

/// What continues a future takes its result: nothing for void, else what `get` gives.
template <typename F, typename T>
concept takes_the_result = (std::is_void_v<T> && requires(std::decay_t<F>& f) {
                             f();
                             requires begins_no_coroutine<decltype(f())>;
                           }) || requires(std::decay_t<F>& f, T (&get)()) {
  f(get());
  requires begins_no_coroutine<decltype(f(get()))>;
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
  using type = decltype(std::declval<std::decay_t<F>&>()(std::declval<T (&)()>()()));
};
template <typename F, typename T>
  requires std::is_void_v<T> && rule::takes_the_result<F, T>
struct result_of_continuation<F, T> {
  using type = decltype(std::declval<std::decay_t<F>&>()());
};

/// What may look inside.
struct future_access {
  template <typename T>
  static future<T> make(future_state<T>* state) noexcept {
    return future<T>(state);
  }
  template <typename T>
  static future_state<T>* state(const future<T>& of) noexcept {
    return of.state_;
  }
};

/// Made by `runtime::async`, and by `arena::async`, `in` that.
template <typename T, typename F>
future<T> make_future(all_workers& of, F&& f, const spawn_options& options,
                      arena_core* in = nullptr) {
  using task_type = future_task<std::decay_t<F>, T>;
  auto made = std::make_unique<task_type>(of, std::forward<F>(f));
  if (in != nullptr) made->put_into(*in);
  detail::spawn_future(of, *made, options, detail::type_of_function<std::decay_t<F>>());
  return future_access::make<T>(made.release());
}

inline constexpr std::chrono::duration<double> a_century{3.2e9};

/// The time of `now_ns` that is so far away; `no_deadline` for what no clock reaches.
template <typename Rep, typename Period>
std::int64_t deadline_after(const std::chrono::duration<Rep, Period>& time) noexcept {
  const std::chrono::duration<double> roughly(time);
  if (!(roughly.count() > 0)) return now_ns();
  if (roughly > a_century) return no_deadline;
  return now_ns() + std::chrono::ceil<std::chrono::nanoseconds>(time).count();
}

/// How long it is until then; nothing for what has passed. Roughly first: of times that are very
/// far from each other there may be no difference in their own unit.
template <typename Clock, typename Duration>
std::chrono::nanoseconds time_until(const std::chrono::time_point<Clock, Duration>& time) {
  using seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const seconds roughly = seconds(time.time_since_epoch()) - seconds(now.time_since_epoch());
  if (!(roughly.count() > -1)) return {};
  if (roughly > a_century) return (std::chrono::nanoseconds::max)();
  const auto left = std::chrono::ceil<std::chrono::nanoseconds>(time - now);
  return left.count() > 0 ? left : std::chrono::nanoseconds{};
}

}  // namespace detail

/// What `runtime::async`, or a continuation, will have computed. Move-only. May be dropped: the
/// task runs all the same. May outlive its runtime, whose destructor runs the task to its end. A
/// default-made one, after `get` or `then`, or moved from, is not `valid`: all members but the
/// assignments, `swap` and `valid` throw evencube::error. One thread at a time may use one future
/// object.
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
  void swap(future& other) noexcept { std::swap(state_, other.state_); }

  /// Whether there is, or will be, a result to ask for.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  /// Whether `get` would return or throw at once.
  [[nodiscard]] bool ready() const { return state().done(); }

  /// Waits; may be called from any thread. A worker that waits runs the task itself if nobody has
  /// begun it, or the tasks that it needs, and what these spawn. Throws evencube::error for a
  /// thread that holds the runtime, and in a forked child, if the task has not ended.
  void wait() const { detail::wait_for_future(state()); }

  /// The same for at most so long. A worker ends what it began to run meanwhile, and returns only
  /// then. A limit of zero, or one that has passed, only looks, as `ready` does, and begins
  /// nothing.
  template <typename Rep, typename Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return detail::wait_for_future(state(), detail::deadline_after(time)) ? future_status::ready
                                                                          : future_status::timeout;
  }
  /// The same until that time of whatever clock.
  template <typename Clock, typename Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    // A clock that is not steady may have been set back meanwhile.
    do {
      if (wait_for(detail::time_until(time)) == future_status::ready) return future_status::ready;
    } while (detail::time_until(time).count() > 0);
    return future_status::timeout;
  }

  /// Waits and returns the value or throws the task's exception. Once.
  T get() {
    wait();
    const future spent(std::move(*this));
    return spent.state_->take();
  }

  /// Calls `f(value)`, or `f()` for a future of void, in a task of the same runtime, once the value
  /// is there; gives a future of what that returns. This future is not valid afterwards. If it ends
  /// with an exception, `f` is not called and the result ends with the same exception; so `f` takes
  /// a value and not a future, and what it does not want to know it need not ask for.
  ///
  /// Never waits: a future that is ready already has its continuation spawned, as `runtime::async`
  /// does it, which runs it at once where more than 65536 tasks are queued already; else the worker
  /// that ends it queues it. Chains of any length need no stack.
  /// Throws as `task_group::spawn` does, and evencube::error if the runtime is gone, or if the
  /// future is of none and no task calls. It is then still valid, though `f` may be moved from.
  template <typename F>
    requires rule::takes_the_result<F, T> && rule::movable_into_a_task<F> &&
             rule::keepable_result<typename detail::result_of_continuation<F, T>::type>
  auto then(F&& f, const spawn_options& options = {}) {
    using result = typename detail::result_of_continuation<F, T>::type;
    using task_type = detail::continuation<std::decay_t<F>, T, result>;
    auto made = std::make_unique<task_type>(state(), std::forward<F>(f), options.cost, options.home,
                                            options.priority, options.name);
    detail::continue_with(*state_, *made, options);
    state_ = nullptr;
    return detail::future_access::make<result>(made.release());
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

/// A future that is ready, with this value: of the runtime whose task calls, or of none. Throws
/// std::bad_alloc.
template <typename T>
[[nodiscard]] future<std::decay_t<T>> make_ready_future(T&& value) {
  using kept_type = std::decay_t<T>;
  return detail::future_access::make<kept_type>(
      new detail::ready_state<kept_type>(detail::runtime_id_here(), std::forward<T>(value)));
}
[[nodiscard]] inline future<void> make_ready_future() {
  return detail::future_access::make<void>(
      new detail::ready_state<void>(detail::runtime_id_here()));
}
/// The same of that runtime: what continues it runs there.
template <typename T>
[[nodiscard]] future<std::decay_t<T>> make_ready_future(runtime& of, T&& value) {
  using kept_type = std::decay_t<T>;
  return detail::future_access::make<kept_type>(new detail::ready_state<kept_type>(
      detail::runtime_id_of(detail::workers_of(of)), std::forward<T>(value)));
}
[[nodiscard]] inline future<void> make_ready_future(runtime& of) {
  return detail::future_access::make<void>(
      new detail::ready_state<void>(detail::runtime_id_of(detail::workers_of(of))));
}

}  // namespace evencube
