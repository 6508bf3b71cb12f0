#pragma once

#include <cstddef>
#include <type_traits>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/detail/former.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/where.hpp>

namespace evencube {

namespace rule {

/// The body of a loop over blocks takes a block's two bounds.
template <typename Body, typename Index>
concept callable_with_two_bounds = requires(const Body& body, Index i) { body(i, i); };
/// A body that takes two bounds but not a single index; a body that takes an index makes a loop
/// over indices.
template <typename Body, typename Index>
concept callable_with_two_bounds_only =
    callable_with_two_bounds<Body, Index> && !callable_with_the_index<Body, Index>;

}  // namespace rule

namespace detail {

/// Runs parallel_for_blocks from `begin` to `end`. `until` is a token, or `until_the_end`.
template <typename Index, typename Body, typename Until>
auto run_blocks(Index begin, Index end, const Body& body, std::size_t grain, const Until& until) {
  const blocks in(detail::iterations(begin, end), grain);
  const auto call = [&](std::size_t from, std::size_t to) {
    body(detail::index_at(begin, from), detail::index_at(begin, to));
  };
  const auto one = [&](std::size_t b) { call(in.first(b), in.last(b)); };
  if constexpr (has_token<Until>) {
    return detail::watched_for(until, "parallel_for_blocks", in.number(), one, 1);
  } else if (grain != 0) {
    detail::for_each_block(in.number(), one);
  } else {
    worker& w = detail::worker_here("parallel_for_blocks");
    if (in.number() != 0) detail::run_loop(w, for_each_span<decltype(call)>{in, call}, in.number());
  }
}

}  // namespace detail

/// Divides [first, last) into blocks and calls `body(first_of_block, last_of_block)` for each
/// block, in parallel. `options.grain` is the length of a block; the last block may be shorter.
/// With a grain of 0, the loop chooses the length while it runs, so that a block takes a few
/// microseconds and there are at most 2048 blocks. Throws std::invalid_argument if one bound is
/// negative and the other unsigned. All other rules of `parallel_for` apply.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds<Body, std::common_type_t<First, Last>>
void parallel_for_blocks(First first, Last last, const Body& body,
                         const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  detail::run_blocks(detail::bound_as<index>(first, "parallel_for_blocks"),
                     detail::bound_as<index>(last, "parallel_for_blocks"), body, options.grain,
                     detail::until_the_end{});
}
/// Runs `parallel_for_blocks` as specified by `where`, until a stop is requested through the token
/// in `where`. With a token, returns whether any calls of the body were skipped; otherwise returns
/// nothing.
template <rule::says_where Where, typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds<Body, std::common_type_t<First, Last>>
[[nodiscard]] detail::outcome<Where> parallel_for_blocks(Where&& where, First first, Last last,
                                                         const Body& body,
                                                         const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = detail::bound_as<index>(first, "parallel_for_blocks");
  const auto end = detail::bound_as<index>(last, "parallel_for_blocks");
  return detail::run_where(where, [&](const auto& until) {
    return detail::run_blocks(begin, end, body, options.grain, until);
  });
}

/// The former name of `parallel_for_blocks`, for bodies that take two bounds and not a single
/// index.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds_only<Body, std::common_type_t<First, Last>>
EVENCUBE_FORMER("use parallel_for_blocks") void parallel_for(First first, Last last,
                                                             const Body& body,
                                                             const loop_options& options = {}) {
  evencube::parallel_for_blocks(first, last, body, options);
}
/// The former name of `parallel_for_blocks` with a first argument `where`.
template <rule::says_where Where, typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds_only<Body, std::common_type_t<First, Last>>
EVENCUBE_FORMER("use parallel_for_blocks") auto parallel_for(Where&& where, First first, Last last,
                                                             const Body& body,
                                                             const loop_options& options = {}) {
  return evencube::parallel_for_blocks(where, first, last, body, options);
}

}  // namespace evencube
