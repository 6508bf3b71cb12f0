#pragma once

#include <cstddef>
#include <type_traits>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// The body of a loop over blocks takes two bounds.
template <typename Body, typename Index>
concept callable_with_two_bounds = requires(const Body& body, Index i) { body(i, i); };
/// A body that takes two bounds and not one index. A body that takes an index makes a loop over
/// indices.
template <typename Body, typename Index>
concept callable_with_two_bounds_only =
    callable_with_two_bounds<Body, Index> && !callable_with_the_index<Body, Index>;

/// The body of a loop over blocks takes a block: a part of the whole with the same type.
template <typename Body, typename Block>
concept callable_with_the_block = detail::is_blocked<Block>::value &&
                                  requires(const Body& body, const Block& block) { body(block); };

}  // namespace rule

/// Calls `body(first_of_block, last_of_block)` for blocks that make up [first, last), in parallel.
/// Each index is in exactly one block. `options.grain` is the length of a block; the last may be
/// shorter. With 0 the length is found while the loop runs, so that a block takes some
/// microseconds, and there are at most 2048 blocks. If the body can also be called with one index,
/// `parallel_for` goes by indices. Throws std::invalid_argument for a negative bound together with
/// an unsigned one. All other rules are those of `parallel_for` with one index.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_two_bounds_only<Body, std::common_type_t<First, Last>>
void parallel_for(First first, Last last, const Body& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = detail::bound_as<index>(first, "parallel_for");
  const auto end = detail::bound_as<index>(last, "parallel_for");
  const detail::blocks in(detail::iterations(begin, end), options.grain);
  const auto call = [&](std::size_t from, std::size_t to) {
    body(detail::index_at(begin, from), detail::index_at(begin, to));
  };
  if (options.grain != 0) {
    detail::for_each_block(in.number(), [&](std::size_t b) { call(in.first(b), in.last(b)); });
    return;
  }
  detail::worker& w = detail::worker_here("parallel_for");
  if (in.number() != 0)
    detail::run_loop(w, detail::for_each_span<decltype(call)>{in, call}, in.number());
}

/// Calls `body(block)` for blocks that make up `all`, a blocked_range, blocked_range_2d or
/// blocked_range_3d, in parallel. Each block has the type of `all`. Throws std::length_error if
/// there are more than 2^64 - 1 blocks. All other rules are those of `parallel_for` over integers.
template <typename Blocked, typename Body>
  requires rule::callable_with_the_block<Body, Blocked>
void parallel_for(const Blocked& all, const Body& body) {
  const detail::tiling<Blocked> tiles(all);
  detail::for_each_block(tiles.number(), [&](std::size_t b) {
    const Blocked block = tiles[b];
    body(block);
  });
}

/// Runs `parallel_for` over the blocks of `all` as a task of `rt`, from any thread.
template <typename Blocked, typename Body>
  requires rule::callable_with_the_block<Body, Blocked>
void parallel_for(runtime& rt, const Blocked& all, const Body& body) {
  detail::call_on(rt, [&] { evencube::parallel_for(all, body); });
}

/// Runs `parallel_for` over two integers, by index or by block, as a task of `rt`, from any thread.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           (rule::callable_with_the_index<Body, std::common_type_t<First, Last>> ||
            rule::callable_with_two_bounds<Body, std::common_type_t<First, Last>>)
void parallel_for(runtime& rt, First first, Last last, const Body& body,
                  const loop_options& options = {}) {
  detail::call_on(rt, [&] { evencube::parallel_for(first, last, body, options); });
}

}  // namespace evencube
