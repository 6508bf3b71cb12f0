#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include <evencube/blocked_range.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/detail/former.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/fork_join.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_where.hpp>
#include <evencube/where.hpp>

/// More overloads of parallel_reduce, reductions over blocks, and reductions with a fixed grouping.
/// The overload for integers is in <evencube/parallel_for.hpp>.
namespace evencube {

namespace rule {

/// The body of a reduction over elements returns a value that converts to the result type without
/// losing a fraction or bits.
template <typename Body, typename Iterator, typename Value>
concept gives_the_value_of_an_element = requires(const Body& body, Iterator& i) {
  { std::invoke(body, *i) } -> std::convertible_to<Value>;
  requires summed_without_narrowing<std::remove_cvref_t<decltype(std::invoke(body, *i))>, Value>;
};

/// The body of a reduction over blocks combines a value with the elements of a block and returns
/// the result.
template <typename Body, typename Block, typename Value>
concept folds_a_block = detail::is_blocked<Block>::value &&
                        requires(const Body& body, const Block& block, Value value) {
                          { body(block, std::move(value)) } -> std::convertible_to<Value>;
                        };

}  // namespace rule

/// Combines `init` with `transform(element)` for every element of [first, last), in parallel, and
/// returns the result. `transform` may be a pointer to a member, as in
/// `parallel_reduce(shapes, 0.0, &shape::area, std::plus<>())`. As in `parallel_reduce` over
/// integers, `combine` must be associative but need not be commutative, values may be move-only,
/// and `init` is used once. Narrowing sums do not compile: doubles cannot be summed into an int,
/// and 64-bit integers cannot be summed into a 32-bit integer.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value, typename Transform, typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_reduce(Iterator first, Sentinel last, Value init,
                                    const Transform& transform, const Combine& combine,
                                    const loop_options& options = {}) {
  const detail::local<Iterator> input{first};
  const detail::local<Transform> call{transform};
  return evencube::parallel_reduce(
      std::size_t{0}, detail::distance(first, last), std::move(init),
      [input, call](std::size_t i) -> Value {
        return std::invoke(call.it, detail::element(input.it, i));
      },
      combine, options);
}

/// Combines `init` with `transform(element)` for every element of a range, in parallel, and returns
/// the result. The rules of `parallel_reduce` over iterators apply.
template <rule::random_access_sized_range Range, typename Value, typename Transform,
          typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, detail::iterator_of<Range>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_reduce(Range&& range, Value init, const Transform& transform,
                                    const Combine& combine, const loop_options& options = {}) {
  return evencube::parallel_reduce(std::begin(range), std::end(range), std::move(init), transform,
                                   combine, options);
}

/// Combines the results of `body(block, identity)` for the blocks of `all`, in order, and returns
/// the combined value. `all` is a one-, two- or three-dimensional blocked_range. `identity` is
/// copied for every block, so combining `identity` with a value must not change the value. Throws
/// std::length_error if there are more than 2^64 - 1 blocks. All other rules of `parallel_reduce`
/// apply.
template <typename Blocked, typename Value, typename Body, typename Combine>
  requires rule::folds_a_block<Body, Blocked, Value> && rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_reduce_blocks(const Blocked& all, const Value& identity,
                                           const Body& body, const Combine& combine) {
  const detail::tiling<Blocked> tiles(all);
  return evencube::parallel_reduce(std::size_t{0}, tiles.number(), Value(identity),
                                   [&](std::size_t b) -> Value {
                                     const Blocked block = tiles[b];
                                     return body(block, Value(identity));
                                   },
                                   combine, {.grain = 1});
}

namespace detail {

/// Combines fold(b) for every block b of the non-empty range [first, last), in a tree that depends
/// only on the number of blocks. A part of at most `unforked` blocks is folded by one worker, in
/// the same tree.
template <typename Value, typename Fold, typename Combine>
Value fold_tree(std::size_t first, std::size_t last, std::size_t unforked, const Fold& fold,
                const Combine& combine) {
  if (last - first == 1) return fold(first);
  const std::size_t middle = first + (last - first) / 2;
  const auto left = [&] {
    return detail::fold_tree<Value>(first, middle, unforked, fold, combine);
  };
  const auto right = [&] {
    return detail::fold_tree<Value>(middle, last, unforked, fold, combine);
  };
  if (last - first <= unforked) {
    Value before = left();
    return std::invoke(combine, std::move(before), right());
  }
  auto halves = evencube::fork_join(left, right);
  return std::invoke(combine, std::move(halves.first), std::move(halves.second));
}

/// Combines `init` with value_of(i) for i in [0, count), with a grouping that depends only on
/// `count` and `grain`. `until` is a token, which is checked before every block, or
/// `until_the_end`.
template <typename Value, typename ValueOf, typename Combine, typename Until>
outcome<Until, Value> reduce_alike(std::size_t count, Value init, const ValueOf& value_of,
                                   const Combine& combine, std::size_t grain, const Until& until) {
  static_cast<void>(detail::worker_here("parallel_deterministic_reduce"));
  if (count == 0) return init;
  const blocks in(count, grain);
  const auto fold = [&](std::size_t block) -> Value {
    if constexpr (has_token<Until>) detail::ask(until);
    const std::size_t last = in.last(block);
    Value sum = value_of(in.first(block));
    for (std::size_t i = in.first(block) + 1; i < last; ++i) {
      sum = std::invoke(combine, std::move(sum), value_of(i));
    }
    return sum;
  };
  constexpr std::size_t forked = 256;  // parts: enough for the largest machine
  const auto sum = [&]() -> Value {
    return std::invoke(
        combine, std::move(init),
        detail::fold_tree<Value>(0, in.number(), in.number() / forked, fold, combine));
  };
  if constexpr (has_token<Until>) {
    std::optional<Value> value;
    static_cast<void>(detail::until_stopped([&] { value.emplace(sum()); }));
    return value;
  } else {
    return sum();
  }
}
/// Implements parallel_deterministic_reduce over integers.
template <typename Index, typename Value, typename Body, typename Combine, typename Until>
outcome<Until, Value> reduce_indices_alike(Index begin, Index end, Value init, const Body& body,
                                           const Combine& combine, std::size_t grain,
                                           const Until& until) {
  const local<Body> call{body};
  return detail::reduce_alike(
      detail::iterations(begin, end), std::move(init),
      [begin, call](std::size_t i) -> Value { return call.it(detail::index_at(begin, i)); },
      combine, grain, until);
}
/// Implements parallel_deterministic_reduce over iterators.
template <typename Iterator, typename Value, typename Transform, typename Combine, typename Until>
outcome<Until, Value> reduce_elements_alike(const Iterator& first, std::size_t count, Value init,
                                            const Transform& transform, const Combine& combine,
                                            std::size_t grain, const Until& until) {
  const local<Iterator> input{first};
  const local<Transform> call{transform};
  return detail::reduce_alike(
      count, std::move(init),
      [input, call](std::size_t i) -> Value {
        return std::invoke(call.it, detail::element(input.it, i));
      },
      combine, grain, until);
}

}  // namespace detail

/// Like `parallel_reduce` over integers, but with the same grouping in every run and for any number
/// of workers. The grouping depends only on the number of values and the grain. So a floating-point
/// sum is bit-identical everywhere if the results of `body` and `combine` are. Within each block of
/// `options.grain` values, the values are combined from left to right; the blocks' results are
/// combined in a balanced binary tree. With a grain of 0 there are at most 2048 blocks.
template <typename First, typename Last, typename Value, typename Body, typename Combine>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::gives_the_value<Body, std::common_type_t<First, Last>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_deterministic_reduce(First first, Last last, Value init,
                                                  const Body& body, const Combine& combine,
                                                  const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  return detail::reduce_indices_alike(
      detail::bound_as<index>(first, "parallel_deterministic_reduce"),
      detail::bound_as<index>(last, "parallel_deterministic_reduce"), std::move(init), body,
      combine, options.grain, detail::until_the_end{});
}
/// Like `parallel_reduce` over the elements of [first, last), but with the same grouping in every
/// run and for any number of workers. The grouping depends only on the number of elements and the
/// grain.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value, typename Transform, typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_deterministic_reduce(Iterator first, Sentinel last, Value init,
                                                  const Transform& transform,
                                                  const Combine& combine,
                                                  const loop_options& options = {}) {
  return detail::reduce_elements_alike(first, detail::distance(first, last), std::move(init),
                                       transform, combine, options.grain, detail::until_the_end{});
}
/// Like `parallel_reduce` over the elements of a range, but with the same grouping in every run and
/// for any number of workers. The grouping depends only on the number of elements and the grain.
template <rule::random_access_sized_range Range, typename Value, typename Transform,
          typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, detail::iterator_of<Range>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_deterministic_reduce(Range&& range, Value init,
                                                  const Transform& transform,
                                                  const Combine& combine,
                                                  const loop_options& options = {}) {
  return evencube::parallel_deterministic_reduce(std::begin(range), std::end(range),
                                                 std::move(init), transform, combine, options);
}

/// Runs `parallel_reduce` over iterators as specified by `where`, until a stop is requested through
/// the token in `where`. Returns the value; with a token, returns an empty std::optional if calls
/// were skipped.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Value, typename Transform,
          typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_reduce(Where&& where, Iterator first,
                                                            Sentinel last, Value init,
                                                            const Transform& transform,
                                                            const Combine& combine,
                                                            const loop_options& options = {}) {
  const detail::local<Iterator> input{first};
  const detail::local<Transform> call{transform};
  return evencube::parallel_reduce(
      where, std::size_t{0}, detail::distance(first, last), std::move(init),
      [input, call](std::size_t i) -> Value {
        return std::invoke(call.it, detail::element(input.it, i));
      },
      combine, options);
}
/// Runs `parallel_reduce` over a range as specified by `where`, until a stop is requested through
/// the token in `where`. Returns the value; with a token, returns an empty std::optional if calls
/// were skipped.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Value,
          typename Transform, typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, detail::iterator_of<Range>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_reduce(Where&& where, Range&& range,
                                                            Value init, const Transform& transform,
                                                            const Combine& combine,
                                                            const loop_options& options = {}) {
  return evencube::parallel_reduce(where, std::begin(range), std::end(range), std::move(init),
                                   transform, combine, options);
}
/// Runs `parallel_reduce_blocks` as specified by `where`, until a stop is requested through the
/// token in `where`. Returns the value; with a token, returns an empty std::optional if calls were
/// skipped.
template <rule::says_where Where, typename Blocked, typename Value, typename Body, typename Combine>
  requires rule::folds_a_block<Body, Blocked, Value> && rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_reduce_blocks(Where&& where,
                                                                   const Blocked& all,
                                                                   const Value& identity,
                                                                   const Body& body,
                                                                   const Combine& combine) {
  const detail::tiling<Blocked> tiles(all);
  return evencube::parallel_reduce(where, std::size_t{0}, tiles.number(), Value(identity),
                                   [&](std::size_t b) -> Value {
                                     const Blocked block = tiles[b];
                                     return body(block, Value(identity));
                                   },
                                   combine, {.grain = 1});
}
/// Runs `parallel_deterministic_reduce` over integers as specified by `where`, until a stop is
/// requested through the token in `where`. The token is checked before every block. Returns the
/// value; with a token, returns an empty std::optional if calls were skipped.
template <rule::says_where Where, typename First, typename Last, typename Value, typename Body,
          typename Combine>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::gives_the_value<Body, std::common_type_t<First, Last>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_deterministic_reduce(
    Where&& where, First first, Last last, Value init, const Body& body, const Combine& combine,
    const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  const auto begin = detail::bound_as<index>(first, "parallel_deterministic_reduce");
  const auto end = detail::bound_as<index>(last, "parallel_deterministic_reduce");
  return detail::run_where(where, [&](const auto& until) {
    return detail::reduce_indices_alike(begin, end, std::move(init), body, combine, options.grain,
                                        until);
  });
}
/// Runs `parallel_deterministic_reduce` over iterators as specified by `where`, until a stop is
/// requested through the token in `where`. The token is checked before every block. Returns the
/// value; with a token, returns an empty std::optional if calls were skipped.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Value, typename Transform,
          typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_deterministic_reduce(
    Where&& where, Iterator first, Sentinel last, Value init, const Transform& transform,
    const Combine& combine, const loop_options& options = {}) {
  return detail::run_where(where, [&](const auto& until) {
    return detail::reduce_elements_alike(first, detail::distance(first, last), std::move(init),
                                         transform, combine, options.grain, until);
  });
}
/// Runs `parallel_deterministic_reduce` over a range as specified by `where`, until a stop is
/// requested through the token in `where`. The token is checked before every block. Returns the
/// value; with a token, returns an empty std::optional if calls were skipped.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Value,
          typename Transform, typename Combine>
  requires rule::gives_the_value_of_an_element<Transform, detail::iterator_of<Range>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_deterministic_reduce(
    Where&& where, Range&& range, Value init, const Transform& transform, const Combine& combine,
    const loop_options& options = {}) {
  return evencube::parallel_deterministic_reduce(where, std::begin(range), std::end(range),
                                                 std::move(init), transform, combine, options);
}

/// The former name of `parallel_reduce_blocks`. The value is an identity, not an initial value.
template <typename Blocked, typename Value, typename Body, typename Combine>
  requires rule::folds_a_block<Body, Blocked, Value> && rule::combines_two_values<Combine, Value>
EVENCUBE_FORMER("use parallel_reduce_blocks") [[nodiscard]] Value parallel_reduce(
    const Blocked& all, const Value& identity, const Body& body, const Combine& combine) {
  return evencube::parallel_reduce_blocks(all, identity, body, combine);
}
/// The former name of `parallel_reduce_blocks` with an argument `where`.
template <rule::says_where Where, typename Blocked, typename Value, typename Body, typename Combine>
  requires rule::folds_a_block<Body, Blocked, Value> && rule::combines_two_values<Combine, Value>
EVENCUBE_FORMER("use parallel_reduce_blocks") [[nodiscard]] auto parallel_reduce(
    Where&& where, const Blocked& all, const Value& identity, const Body& body,
    const Combine& combine) {
  return evencube::parallel_reduce_blocks(where, all, identity, body, combine);
}

}  // namespace evencube
