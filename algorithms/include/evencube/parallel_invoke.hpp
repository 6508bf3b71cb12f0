#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/fork_join.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A function passed to `parallel_invoke` must do its work when called, so it must not return a
/// coroutine that has not begun.
template <typename F>
concept runs_when_invoked =
    callable_in_place<F> && requires(F& f) { requires begins_no_coroutine<decltype(f())>; };

}  // namespace rule

namespace detail {

/// Calls elements `First` to `First + Count - 1` of `functions`, a tuple of references to
/// functions, and returns a tuple of the results.
template <std::size_t First, std::size_t Count, typename Functions>
auto invoke_part(const Functions& functions) {
  if constexpr (Count == 0) {
    return std::tuple<>{};
  } else if constexpr (Count == 1) {
    using function = std::tuple_element_t<First, Functions>;
    function& f = std::get<First>(functions);
    return std::tuple<decltype(detail::call_for_value(f))>{detail::call_for_value(f)};
  } else {
    constexpr std::size_t half = (Count + 1) / 2;
    auto results = evencube::fork_join(
        [&] { return detail::invoke_part<First, half>(functions); },
        [&] { return detail::invoke_part<First + half, Count - half>(functions); });
    return std::tuple_cat(std::move(results.first), std::move(results.second));
  }
}

}  // namespace detail

/// Calls each of the functions once, possibly concurrently, and returns when all calls have
/// returned. The result is a tuple of their results in the order of the functions, or nothing if
/// all return void. In the tuple, a void result becomes a `std::monostate`, and a reference stays a
/// reference. The calls form a binary tree of `fork_join` calls, so the same rules for waits apply,
/// and nothing is allocated.
///
/// If calls throw, the leftmost call's exception is rethrown when all calls that began have ended.
/// Calls that have not begun may be skipped.
/// With two or more functions, throws evencube::error if called outside of a runtime's tasks. With
/// one function or none, no runtime is needed.
template <rule::runs_when_invoked... Functions>
auto parallel_invoke(Functions&&... functions) {
  const std::tuple<Functions&...> all(functions...);
  auto results = detail::invoke_part<0, sizeof...(Functions)>(all);
  if constexpr (!(std::is_void_v<decltype(functions())> && ...)) return results;
}

/// Runs `parallel_invoke` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::runs_when_invoked... Functions>
auto parallel_invoke(Place& place, Functions&&... functions) {
  return detail::call_on(place, [&] { return evencube::parallel_invoke(functions...); });
}

/// Calls three or more functions, possibly concurrently. The rules and the result are those of
/// `parallel_invoke`.
template <rule::runs_when_invoked F, rule::runs_when_invoked G, rule::runs_when_invoked H,
          rule::runs_when_invoked... More>
auto fork_join(F&& f, G&& g, H&& h, More&&... more) {
  return evencube::parallel_invoke(f, g, h, more...);
}

}  // namespace evencube
