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
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_find.hpp>
#include <evencube/parallel_for_blocks.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/runtime.hpp>

/// Loops, reductions and searches that a std::stop_token, their first argument, can end. They check
/// the token before every chunk of iterations (some microseconds, or `grain`), block or added item.
/// After a stop request no further chunk begins on any worker, and chunks that have begun run to
/// their end. The body itself, another thread or the token's group (`task_group::stop_token`) may
/// request the stop. If a call throws as well, the caller learns of one of the two. All other rules
/// are those of the functions without a token, which pay nothing for this.
namespace evencube {

/// Like `parallel_for` over integers, until `token` requests a stop. Returns `stopped` if calls of
/// the body are left out.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_the_index<Body, std::common_type_t<First, Last>>
[[nodiscard]] wait_status parallel_for(const std::stop_token& token, First first, Last last,
                                       const Body& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = static_cast<index>(first);
  const detail::local<Body> call{body};
  return detail::watched_for(
      token, "parallel_for", detail::iterations(begin, static_cast<index>(last)),
      [begin, call](std::size_t i) { call.it(detail::index_at(begin, i)); }, options.grain);
}

/// Like `parallel_for` by blocks of two bounds, until `token` requests a stop. Returns `stopped` if
/// calls of the body are left out.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds_only<Body, std::common_type_t<First, Last>>
[[nodiscard]] wait_status parallel_for(const std::stop_token& token, First first, Last last,
                                       const Body& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = detail::bound_as<index>(first, "parallel_for");
  const auto end = detail::bound_as<index>(last, "parallel_for");
  const detail::blocks in(detail::iterations(begin, end), options.grain);
  return detail::watched_for(
      token, "parallel_for", in.number(),
      [&](std::size_t b) {
        body(detail::index_at(begin, in.first(b)), detail::index_at(begin, in.last(b)));
      },
      1);
}
/// Like `parallel_for` over the blocks of `all`, until `token` requests a stop. Returns `stopped`
/// if calls of the body are left out.
template <typename Blocked, typename Body>
  requires rule::callable_with_the_block<Body, Blocked>
[[nodiscard]] wait_status parallel_for(const std::stop_token& token, const Blocked& all,
                                       const Body& body) {
  const detail::tiling<Blocked> tiles(all);
  return detail::watched_for(
      token, "parallel_for", tiles.number(),
      [&](std::size_t b) {
        const Blocked block = tiles[b];
        body(block);
      },
      1);
}

/// Like `parallel_for` over elements, until `token` requests a stop. Returns `stopped` if calls of
/// the body are left out.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Body>
  requires rule::callable_with_the_element<Body, Iterator>
[[nodiscard]] wait_status parallel_for(const std::stop_token& token, Iterator first, Sentinel last,
                                       const Body& body, const loop_options& options = {}) {
  const detail::local<Iterator> begin{first};
  const detail::local<Body> call{body};
  return detail::watched_for(
      token, "parallel_for", detail::distance(first, last),
      [begin, call](std::size_t i) { call.it(detail::element(begin.it, i)); }, options.grain);
}
/// Like `parallel_for` over the elements of a range, until `token` requests a stop. Returns
/// `stopped` if calls of the body are left out.
template <rule::random_access_sized_range Range, typename Body>
  requires rule::callable_with_the_element<Body, detail::iterator_of<Range>>
[[nodiscard]] wait_status parallel_for(const std::stop_token& token, Range&& range,
                                       const Body& body, const loop_options& options = {}) {
  return evencube::parallel_for(token, std::begin(range), std::end(range), body, options);
}

/// Like `parallel_for_each`, with a feeder or without, until `token` requests a stop. Returns
/// `stopped` if calls of the body are left out. Single-pass iterators are read to their end in any
/// case.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, typename Body>
  requires rule::callable_with_each_element<Body, Iterator> ||
           rule::callable_with_the_element_and_a_feeder<Body, Iterator>
[[nodiscard]] wait_status parallel_for_each(const std::stop_token& token, Iterator first,
                                            Sentinel last, const Body& body) {
  using feed_type = feeder<std::iter_value_t<Iterator>>;
  if constexpr (rule::callable_with_the_element_and_a_feeder<Body, Iterator>) {
    return detail::until_stopped([&] {
      evencube::parallel_for_each(std::move(first), last, [&](auto&& element, feed_type& feed) {
        detail::ask(token);
        body(std::forward<decltype(element)>(element), feed);
      });
    });
  } else if constexpr (std::random_access_iterator<Iterator> &&
                       std::sized_sentinel_for<Sentinel, Iterator>) {
    return evencube::parallel_for(token, first, last, body);
  } else {
    return detail::until_stopped([&] {
      evencube::parallel_for_each(std::move(first), last, [&](auto&& element) {
        detail::ask(token);
        body(std::forward<decltype(element)>(element));
      });
    });
  }
}
/// Like `parallel_for_each` over a range, with a feeder or without, until `token` requests a stop.
/// Returns `stopped` if calls of the body are left out. Single-pass iterators are read to their end
/// in any case.
template <rule::range_of_elements Range, typename Body>
  requires rule::callable_with_each_element<Body, detail::iterator_of<Range>> ||
           rule::callable_with_the_element_and_a_feeder<Body, detail::iterator_of<Range>>
[[nodiscard]] wait_status parallel_for_each(const std::stop_token& token, Range&& range,
                                            const Body& body) {
  return evencube::parallel_for_each(token, std::begin(range), std::end(range), body);
}

/// Like `parallel_reduce` over integers, until `token` requests a stop. Returns the value, or
/// nothing if calls are left out.
template <typename First, typename Last, typename Value, typename Body, typename Combine>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::gives_the_value<Body, std::common_type_t<First, Last>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] std::optional<Value> parallel_reduce(const std::stop_token& token, First first,
                                                   Last last, Value init, const Body& body,
                                                   const Combine& combine,
                                                   const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = static_cast<index>(first);
  const detail::local<Body> call{body};
  const wait_status ended = detail::watched_fold(
      token, detail::iterations(begin, static_cast<index>(last)), init,
      [begin, call](std::size_t i) -> Value { return call.it(detail::index_at(begin, i)); },
      combine, options.grain);
  if (ended == wait_status::stopped) return std::nullopt;
  return std::optional<Value>(std::move(init));
}

/// Like `parallel_reduce` over elements, until `token` requests a stop. Returns the value, or
/// nothing if calls are left out.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value, typename Transform, typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] std::optional<Value> parallel_reduce(const std::stop_token& token, Iterator first,
                                                   Sentinel last, Value init,
                                                   const Transform& transform,
                                                   const Combine& combine,
                                                   const loop_options& options = {}) {
  const detail::local<Iterator> in{first};
  const detail::local<Transform> call{transform};
  return evencube::parallel_reduce(
      token, std::size_t{0}, detail::distance(first, last), std::move(init),
      [in, call](std::size_t i) -> Value { return call.it(detail::element(in.it, i)); }, combine,
      options);
}
/// Like `parallel_reduce` over a range, until `token` requests a stop. Returns the value, or
/// nothing if calls are left out.
template <rule::random_access_sized_range Range, typename Value, typename Transform,
          typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, detail::iterator_of<Range>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] std::optional<Value> parallel_reduce(const std::stop_token& token, Range&& range,
                                                   Value init, const Transform& transform,
                                                   const Combine& combine,
                                                   const loop_options& options = {}) {
  return evencube::parallel_reduce(token, std::begin(range), std::end(range), std::move(init),
                                   transform, combine, options);
}
/// Like `parallel_reduce` over the blocks of `all`, until `token` requests a stop. Returns the
/// value, or nothing if calls are left out.
template <typename Blocked, typename Value, typename Body, typename Combine>
  requires rule::folds_a_block<Body, Blocked, Value> && rule::combines_two_values<Combine, Value>
[[nodiscard]] std::optional<Value> parallel_reduce(const std::stop_token& token, const Blocked& all,
                                                   const Value& identity, const Body& body,
                                                   const Combine& combine) {
  const detail::tiling<Blocked> tiles(all);
  return evencube::parallel_reduce(token, std::size_t{0}, tiles.number(), Value(identity),
                                   [&](std::size_t b) -> Value {
                                     const Blocked block = tiles[b];
                                     return body(block, Value(identity));
                                   },
                                   combine, {.grain = 1});
}

/// Like `parallel_find_if`, until `token` requests a stop. Returns nothing if it was stopped before
/// the result was known. It checks the token every 512 elements.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] std::optional<Iterator> parallel_find_if(const std::stop_token& token, Iterator first,
                                                       Sentinel last, const Predicate& predicate) {
  std::size_t found = 0;
  const wait_status ended = detail::until_stopped([&] {
    found = detail::lowest_index(
        detail::distance(first, last), false,
        [&](std::size_t i) {
          return static_cast<bool>(std::invoke(predicate, detail::element(first, i)));
        },
        [&] { detail::ask(token); });
  });
  if (ended == wait_status::stopped) return std::nullopt;
  return detail::advanced(first, found);
}
/// Like `parallel_find_if` over a range, until `token` requests a stop. The result is an iterator
/// of the range, which must not be a temporary object. Returns nothing if it was stopped before the
/// result was known.
template <rule::random_access_sized_range Range, typename Predicate>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>>
[[nodiscard]] std::optional<detail::iterator_of<Range>> parallel_find_if(
    const std::stop_token& token, Range& range, const Predicate& predicate) {
  return evencube::parallel_find_if(token, std::begin(range), std::end(range), predicate);
}

/// Runs `parallel_for` as a task of `rt`, from any thread, until `token` requests a stop.
template <typename... Arguments>
  requires requires(const std::stop_token& token, Arguments&&... a) {
    evencube::parallel_for(token, std::forward<Arguments>(a)...);
  }
[[nodiscard]] wait_status parallel_for(runtime& rt, const std::stop_token& token,
                                       Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_for(token, std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_for` over integers with options as a task of `rt`, from any thread, until `token`
/// requests a stop. The options may be written in braces, which a parameter pack does not accept.
template <typename First, typename Last, typename Body>
  requires requires(const std::stop_token& token, First first, Last last, const Body& body,
                    const loop_options& options) {
    evencube::parallel_for(token, first, last, body, options);
  }
[[nodiscard]] wait_status parallel_for(runtime& rt, const std::stop_token& token, First first,
                                       Last last, const Body& body, const loop_options& options) {
  return detail::call_on(rt,
                         [&] { return evencube::parallel_for(token, first, last, body, options); });
}
/// Runs `parallel_for` over a range as a task of `rt`, from any thread, until `token` requests a
/// stop.
template <rule::random_access_sized_range Range, typename Body>
  requires rule::callable_with_the_element<Body, detail::iterator_of<Range>>
[[nodiscard]] wait_status parallel_for(runtime& rt, const std::stop_token& token, Range&& range,
                                       const Body& body, const loop_options& options) {
  return detail::call_on(rt, [&] { return evencube::parallel_for(token, range, body, options); });
}
/// Runs `parallel_for_each` as a task of `rt`, from any thread, until `token` requests a stop.
template <typename... Arguments>
  requires requires(const std::stop_token& token, Arguments&&... a) {
    evencube::parallel_for_each(token, std::forward<Arguments>(a)...);
  }
[[nodiscard]] wait_status parallel_for_each(runtime& rt, const std::stop_token& token,
                                            Arguments&&... arguments) {
  return detail::call_on(rt, [&] {
    return evencube::parallel_for_each(token, std::forward<Arguments>(arguments)...);
  });
}
/// Runs `parallel_reduce` as a task of `rt`, from any thread, until `token` requests a stop.
template <typename... Arguments>
  requires requires(const std::stop_token& token, Arguments&&... a) {
    evencube::parallel_reduce(token, std::forward<Arguments>(a)...);
  }
[[nodiscard]] auto parallel_reduce(runtime& rt, const std::stop_token& token,
                                   Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_reduce(token, std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_reduce` over integers with options as a task of `rt`, from any thread, until
/// `token` requests a stop.
template <typename First, typename Last, typename Value, typename Body, typename Combine>
  requires rule::reduction_of_bounds<First, Last, Value, Body, Combine>
[[nodiscard]] std::optional<Value> parallel_reduce(runtime& rt, const std::stop_token& token,
                                                   First first, Last last, Value init,
                                                   const Body& body, const Combine& combine,
                                                   const loop_options& options) {
  return detail::call_on(rt, [&] {
    return evencube::parallel_reduce(token, first, last, std::move(init), body, combine, options);
  });
}
/// Runs `parallel_reduce` over a range with options as a task of `rt`, from any thread, until
/// `token` requests a stop.
template <rule::random_access_sized_range Range, typename Value, typename Transform,
          typename Combine>
  requires rule::reduction_of_a_range<Range, Value, Transform, Combine>
[[nodiscard]] std::optional<Value> parallel_reduce(runtime& rt, const std::stop_token& token,
                                                   Range&& range, Value init,
                                                   const Transform& transform,
                                                   const Combine& combine,
                                                   const loop_options& options) {
  return detail::call_on(rt, [&] {
    return evencube::parallel_reduce(token, range, std::move(init), transform, combine, options);
  });
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

}  // namespace evencube
