#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/task_group.hpp>
#include <evencube/where.hpp>

namespace evencube {

namespace rule {

/// The function of a run with a limit is called with the std::stop_token that reports the end of
/// the time, or without arguments.
template <typename F>
concept callable_with_a_token_or_nothing = (requires(F& f, const std::stop_token& token) {
                                             f(token);
                                             requires begins_no_coroutine<decltype(f(token))>;
                                           }) || requires(F& f) {
  f();
  requires begins_no_coroutine<decltype(f())>;
};

}  // namespace rule

namespace detail {

/// Calls call(context, token) as a task of the group, which is empty, and requests a stop of the
/// group at the time `deadline_ns` of `now_ns`. Returns when the group has ended, as its wait does.
EVENCUBE_EXPORT wait_status run_limited(task_group& group, std::int64_t deadline_ns,
                                        void (*call)(void*, const std::stop_token&), void* context);

/// The type that F returns, without references; void if F cannot be called, so that the compiler
/// reports the rule above.
template <typename F>
struct limited_result {
  using type = void;
};
template <rule::callable_with_a_token_or_nothing F>
struct limited_result<F> {
  using type = std::remove_cvref_t<decltype(std::declval<F&>()())>;
};
template <typename F>
  requires rule::callable_with_a_token_or_nothing<F> && std::invocable<F&, const std::stop_token&>
struct limited_result<F> {
  using type =
      std::remove_cvref_t<decltype(std::declval<F&>()(std::declval<const std::stop_token&>()))>;
};

/// What a run with a limit returns for a function that returns T.
template <typename T>
struct limited_outcome {
  using type = std::optional<T>;
};
template <>
struct limited_outcome<void> {
  using type = wait_status;
};
template <>
struct limited_outcome<wait_status> {
  using type = wait_status;
};
template <typename T>
struct limited_outcome<std::optional<T>> {
  using type = std::optional<T>;
};
template <typename F>
using limited_outcome_t = typename limited_outcome<typename limited_result<F>::type>::type;

template <typename F>
limited_outcome_t<F> run_limited(task_group& group, std::int64_t deadline_ns, F& f) {
  using result = typename limited_result<F>::type;
  const auto call = [&f](const std::stop_token& token) -> decltype(auto) {
    if constexpr (std::invocable<F&, const std::stop_token&>) {
      return f(token);
    } else {
      return f();
    }
  };
  if constexpr (std::is_void_v<result>) {
    return detail::run_limited(
        group, deadline_ns,
        [](void* c, const std::stop_token& token) { (*static_cast<decltype(call)*>(c))(token); },
        const_cast<void*>(static_cast<const void*>(&call)));
  } else {
    std::optional<result> value;
    const auto keep = [&](const std::stop_token& token) { value.emplace(call(token)); };
    const wait_status ended = detail::run_limited(
        group, deadline_ns,
        [](void* c, const std::stop_token& token) { (*static_cast<decltype(keep)*>(c))(token); },
        const_cast<void*>(static_cast<const void*>(&keep)));
    if constexpr (std::is_same_v<result, wait_status>) {
      return value.value_or(wait_status::stopped);
    } else if constexpr (std::is_same_v<result, limited_outcome_t<F>>) {
      return value ? *std::move(value) : result();
    } else {
      if (ended == wait_status::stopped) value.reset();
      return value;
    }
  }
}

template <typename Where, typename F>
limited_outcome_t<F> run_limited_where(Where& where, std::int64_t deadline_ns, F& f) {
  if constexpr (is_place_until<std::remove_cv_t<Where>>) {
    task_group group(where.place());
    const std::stop_callback on_stop(where.token(), [&group]() noexcept { group.request_stop(); });
    return detail::run_limited(group, deadline_ns, f);
  } else {
    task_group group(where);
    return detail::run_limited(group, deadline_ns, f);
  }
}

}  // namespace detail

/// Calls `f(token)`, or `f()`, as a task where `where` says, and gives up when `time` has passed or
/// the token of `where` requests a stop. Nothing is left behind: it returns when `f` and everything
/// that `f` waits for have ended, or throws the exception of `f`.
///
/// At the end of the time the task is stopped like a task of a stopped group. `token` requests a
/// stop, `this_task::stop_requested` returns true below it, and tasks of groups that `f` made are
/// dropped if they have not begun. `f` itself and tasks that have begun go on. So `f` gives the
/// token to loops, or asks, and then returns. If the time has passed before `f` has begun, `f` is
/// not called. A call inside `f` ends with the time of this one if it gets its token, as in
/// `run_for(on(rt, token), ...)`.
///
/// If `f` returns nothing, the result is whether it was stopped. If `f` returns a value, the result
/// is a std::optional with the value, which is empty if `f` was stopped, even if it returned
/// afterwards. If `f` returns a wait_status or a std::optional itself, as loops with a token do,
/// this is the result; `f` then decides. If `f` was not called, it is `stopped`, or empty.
///
/// A thread outside sleeps meanwhile, and `f` begins before other tasks of normal priority. A call
/// on a worker makes a thread that watches the time, because the worker may be busy with `f`; the
/// thread ends with the call. Throws std::system_error if the system refuses it, and the exceptions
/// of `task_group`.
template <rule::says_where Where, typename Rep, typename Period,
          rule::callable_with_a_token_or_nothing F>
[[nodiscard]] detail::limited_outcome_t<F> run_for(Where&& where,
                                                   const std::chrono::duration<Rep, Period>& time,
                                                   F&& f) {
  return detail::run_limited_where(where, detail::deadline_after(time), f);
}
/// Like `run_for`, but gives up at `time`, a time point of any clock. If the clock is set
/// meanwhile, the time that was left at the beginning of the call counts.
template <rule::says_where Where, typename Clock, typename Duration,
          rule::callable_with_a_token_or_nothing F>
[[nodiscard]] detail::limited_outcome_t<F> run_until(
    Where&& where, const std::chrono::time_point<Clock, Duration>& time, F&& f) {
  return detail::run_limited_where(where, detail::deadline_after(detail::time_until(time)), f);
}

}  // namespace evencube
