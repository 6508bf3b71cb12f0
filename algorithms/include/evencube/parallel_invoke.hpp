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

/// A function that is called beside others does its work then.
template <typename F>
concept runs_when_invoked =
    callable_in_place<F> && requires(F& f) { requires begins_no_coroutine<decltype(f())>; };

}  // namespace rule

namespace detail {

/// Calls the functions number `First` to `First + Count - 1` of `functions`, a tuple of references,
/// and gives back a tuple of what they gave.
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

/// Calls all the functions, perhaps at the same time, each exactly once, and returns when all have
/// returned: a tuple of their results in the order of the functions (`std::monostate` for a void
/// one, a copy of what a reference refers to), or nothing if all are void. A binary tree of
/// `fork_join`: no allocation, and what holds for its waits holds here.
///
/// If some throw, one of the exceptions, of those thrown the leftmost's, is thrown when all calls
/// that began have ended; calls that had not begun may not happen.
/// Throws evencube::error outside of a runtime's tasks if there are two functions or more; one or
/// none needs no runtime.
template <rule::runs_when_invoked... Functions>
auto parallel_invoke(Functions&&... functions) {
  const std::tuple<Functions&...> all(functions...);
  auto results = detail::invoke_part<0, sizeof...(Functions)>(all);
  if constexpr (!(std::is_void_v<decltype(functions())> && ...)) return results;
}

/// The same as a task of `rt`: from any thread.
template <rule::runs_when_invoked... Functions>
auto parallel_invoke(runtime& rt, Functions&&... functions) {
  return detail::call_on(rt, [&] { return evencube::parallel_invoke(functions...); });
}

/// `fork_join` of three functions or more is `parallel_invoke`.
template <rule::runs_when_invoked F, rule::runs_when_invoked G, rule::runs_when_invoked H,
          rule::runs_when_invoked... More>
auto fork_join(F&& f, G&& g, H&& h, More&&... more) {
  return evencube::parallel_invoke(f, g, h, more...);
}

}  // namespace evencube
