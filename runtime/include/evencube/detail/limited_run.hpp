#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
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

}  // namespace evencube
