#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/detail/former.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_find.hpp>
#include <evencube/parallel_for_blocks.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/runtime.hpp>

/// Searches that a std::stop_token, their first argument, can end, and former spellings of calls in
/// a runtime with a token. What the calls do is described in <evencube/parallel_for_where.hpp>.
namespace evencube {

/// Like `parallel_find_if`, until `token` requests a stop. Returns nothing if it was stopped before
/// the result was known. It checks the token every 512 elements.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] std::optional<Iterator> parallel_find_if(const std::stop_token& token, Iterator first,
                                                       Sentinel last, const Predicate& predicate,
                                                       const Projection& projection = {}) {
  std::size_t found = 0;
  const wait_status ended = detail::until_stopped([&] {
    found = detail::lowest_index(
        detail::distance(first, last), false,
        [&](std::size_t i) {
          return static_cast<bool>(
              std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
        },
        [&] { detail::ask(token); });
  });
  if (ended == wait_status::stopped) return std::nullopt;
  return detail::advanced(first, found);
}
/// Like `parallel_find_if` over a range, until `token` requests a stop. The result is an iterator
/// of the range, which must not be a temporary object. Returns nothing if it was stopped before the
/// result was known.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] std::optional<detail::iterator_of<Range>> parallel_find_if(
    const std::stop_token& token, Range& range, const Predicate& predicate,
    const Projection& projection = {}) {
  return evencube::parallel_find_if(token, std::begin(range), std::end(range), predicate,
                                    projection);
}

/// Runs `parallel_find_if` as a task of `rt`, from any thread, until `token` requests a stop.
template <typename... Arguments>
  requires requires(const std::stop_token& token, Arguments&&... a) {
    evencube::parallel_find_if(token, std::forward<Arguments>(a)...);
  }
[[nodiscard]] auto parallel_find_if(runtime& rt, const std::stop_token& token,
                                    Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_find_if(token, std::forward<Arguments>(arguments)...); });
}

/// The former spelling of `parallel_for(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_for(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_for(on(rt, token), ...)") [[nodiscard]] auto parallel_for(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_for(evencube::on(rt, token), std::forward<First>(first),
                                std::forward<Arguments>(arguments)...);
}
/// The former spelling of `parallel_for_each(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_for_each(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_for_each(on(rt, token), ...)") [[nodiscard]] auto parallel_for_each(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_for_each(evencube::on(rt, token), std::forward<First>(first),
                                     std::forward<Arguments>(arguments)...);
}
/// The former spelling of `parallel_reduce(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_reduce(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_reduce(on(rt, token), ...)") [[nodiscard]] auto parallel_reduce(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_reduce(evencube::on(rt, token), std::forward<First>(first),
                                   std::forward<Arguments>(arguments)...);
}

}  // namespace evencube
