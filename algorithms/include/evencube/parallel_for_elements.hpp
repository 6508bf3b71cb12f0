#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_where.hpp>
#include <evencube/where.hpp>

namespace evencube {

namespace rule {

/// The body of a loop over blocks takes a block: a part of the range, with the range's type.
template <typename Body, typename Block>
concept callable_with_the_block = detail::is_blocked<Block>::value &&
                                  requires(const Body& body, const Block& block) { body(block); };

}  // namespace rule

namespace detail {

/// The indices first, first + step, first + 2 step and so on.
template <typename Index>
struct steps {
  template <typename First, typename Last, typename Step>
  steps(First first, Last last, Step step)
      : begin(detail::bound_as<Index>(first, "parallel_for")),
        // Unsigned, so there is no overflow: the sum wraps around to the correct value.
        stride(static_cast<std::size_t>(step)) {
    if (step == 0) throw std::invalid_argument("parallel_for: a step of 0 leads nowhere");
    const auto end = detail::bound_as<Index>(last, "parallel_for");
    const bool up = step > 0;
    const std::size_t length = up ? detail::iterations(begin, end) : detail::iterations(end, begin);
    const std::size_t gap = up ? stride : std::size_t{0} - stride;
    count = length != 0 ? (length - 1) / gap + 1 : 0;
  }
  [[nodiscard]] Index operator[](std::size_t i) const noexcept {
    return detail::index_at(begin, i * stride);
  }

  Index begin;
  std::size_t stride;
  std::size_t count = 0;
};

}  // namespace detail

/// Calls `body(element)` for every element of [first, last), in parallel. The body gets the
/// dereferenced iterator: a reference or a proxy. The body may be a pointer to a member, as in
/// `parallel_for(shapes, &shape::draw)`. (Neighbouring elements of a std::vector<bool> share a
/// word, so no two calls may write to such elements.) All other rules of `parallel_for` over
/// integers apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Body>
  requires rule::callable_with_the_element<Body, Iterator>
void parallel_for(Iterator first, Sentinel last, const Body& body,
                  const loop_options& options = {}) {
  const detail::local<Iterator> begin{first};
  const detail::local<Body> call{body};
  evencube::parallel_for(
      std::size_t{0}, detail::distance(first, last),
      [begin, call](std::size_t i) { std::invoke(call.it, detail::element(begin.it, i)); },
      options);
}

/// Calls `body(element)` in parallel for every element of a range with random access and a known
/// size. For a blocked_range, blocked_range_2d or blocked_range_3d, calls `body(block)` for the
/// blocks of the range. Each block has the same type as the range. `options.grain` then counts
/// blocks, and 0 means 1. Throws std::length_error if there are more than 2^64 - 1 blocks. All
/// other rules of `parallel_for` over integers apply.
template <typename Range, typename Body>
  requires(rule::callable_with_the_block<Body, std::remove_cvref_t<Range>> ||
           (rule::random_access_sized_range<Range> &&
            rule::callable_with_the_element<Body, detail::iterator_of<Range>>))
void parallel_for(Range&& range, const Body& body, const loop_options& options = {}) {
  using range_type = std::remove_cvref_t<Range>;
  if constexpr (detail::is_blocked<range_type>::value) {
    const detail::tiling<range_type> tiles(range);
    evencube::parallel_for(std::size_t{0}, tiles.number(),
                           [&](std::size_t b) {
                             const range_type block = tiles[b];
                             body(block);
                           },
                           {.grain = (std::max)(options.grain, std::size_t{1})});
  } else {
    evencube::parallel_for(std::begin(range), std::end(range), body, options);
  }
}

/// Calls `body(i)` for i = first, first + step, first + 2 step and so on, in parallel, while i is
/// below `last` (positive step) or above `last` (negative step). Throws std::invalid_argument if
/// the step is 0, or if one bound is negative and the other unsigned. All other rules of
/// `parallel_for` without a step apply.
template <typename First, typename Last, typename Step, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::integers_of_at_most_64_bits<Step, Step> &&
           rule::callable_with_the_index<Body, std::common_type_t<First, Last>>
void parallel_for(First first, Last last, Step step, const Body& body,
                  const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const detail::steps<index> in(first, last, step);
  const detail::local<Body> call{body};
  evencube::parallel_for(
      std::size_t{0}, in.count, [in, call](std::size_t i) { call.it(in[i]); }, options);
}

/// Runs `parallel_for` over the elements of [first, last), as specified by `where`, until a stop is
/// requested through the token in `where`. With a token, returns whether any calls of the body were
/// skipped; otherwise returns nothing.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Body>
  requires rule::callable_with_the_element<Body, Iterator>
[[nodiscard]] detail::outcome<Where> parallel_for(Where&& where, Iterator first, Sentinel last,
                                                  const Body& body,
                                                  const loop_options& options = {}) {
  const detail::local<Iterator> begin{first};
  const detail::local<Body> call{body};
  return evencube::parallel_for(
      where, std::size_t{0}, detail::distance(first, last),
      [begin, call](std::size_t i) { std::invoke(call.it, detail::element(begin.it, i)); },
      options);
}
/// Runs `parallel_for` over the elements of a range, or the blocks of a blocked range, as specified
/// by `where`, until a stop is requested through the token in `where`. With a token, returns
/// whether any calls of the body were skipped; otherwise returns nothing.
template <rule::says_where Where, typename Range, typename Body>
  requires(rule::callable_with_the_block<Body, std::remove_cvref_t<Range>> ||
           (rule::random_access_sized_range<Range> &&
            rule::callable_with_the_element<Body, detail::iterator_of<Range>>))
[[nodiscard]] detail::outcome<Where> parallel_for(Where&& where, Range&& range, const Body& body,
                                                  const loop_options& options = {}) {
  using range_type = std::remove_cvref_t<Range>;
  if constexpr (detail::is_blocked<range_type>::value) {
    const detail::tiling<range_type> tiles(range);
    return evencube::parallel_for(where, std::size_t{0}, tiles.number(),
                                  [&](std::size_t b) {
                                    const range_type block = tiles[b];
                                    body(block);
                                  },
                                  {.grain = (std::max)(options.grain, std::size_t{1})});
  } else {
    return evencube::parallel_for(where, std::begin(range), std::end(range), body, options);
  }
}
/// Runs `parallel_for` over integers with a step, as specified by `where`, until a stop is
/// requested through the token in `where`. With a token, returns whether any calls of the body were
/// skipped; otherwise returns nothing.
template <rule::says_where Where, typename First, typename Last, typename Step, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::integers_of_at_most_64_bits<Step, Step> &&
           rule::callable_with_the_index<Body, std::common_type_t<First, Last>>
[[nodiscard]] detail::outcome<Where> parallel_for(Where&& where, First first, Last last, Step step,
                                                  const Body& body,
                                                  const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const detail::steps<index> in(first, last, step);
  const detail::local<Body> call{body};
  return evencube::parallel_for(
      where, std::size_t{0}, in.count, [in, call](std::size_t i) { call.it(in[i]); }, options);
}

}  // namespace evencube
