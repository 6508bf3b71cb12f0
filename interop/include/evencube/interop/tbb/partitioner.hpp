#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

/// Splits a range down to its grain.
struct simple_partitioner {};
/// Splits a range into as many parts as the workers can use; the default.
struct auto_partitioner {};
/// Splits a range into one part per worker. If the range supports proportional splits, three
/// workers get a third each instead of a half and two quarters.
struct static_partitioner {};
/// Splits a range into as many parts as auto_partitioner does, with proportional splits like
/// static_partitioner. For a loop that runs repeatedly over the same data, use EvenCube's
/// `balanced_loop`.
struct affinity_partitioner {};

namespace detail {

template <typename P>
concept partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, auto_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, static_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, affinity_partitioner>;

template <typename P>
concept deterministic_partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
                                    std::same_as<std::remove_cvref_t<P>, static_partitioner>;

/// The limit that allows any number of parts.
inline constexpr auto any_number = static_cast<std::size_t>(-1);

/// The largest number of parts into which a range is split.
struct division {
  std::size_t parts;
  /// True if the range is split in proportion to both sides' numbers of parts instead of into
  /// halves. A range without proportional splits is always halved.
  bool in_proportion;
};

template <partitioner P>
division division_by(const P&) {
  constexpr bool fixed = std::same_as<P, static_partitioner>;
  if constexpr (std::same_as<P, simple_partitioner>) return {any_number, false};
  const std::size_t workers = this_task::workers();
  return {fixed ? workers : 16 * workers, fixed || std::same_as<P, affinity_partitioner>};
}

/// How a range's left and right parts are divided further.
struct two_parts {
  division left;
  division right;
};
inline two_parts two_parts_of(const division& all) noexcept {
  if (all.parts == any_number) return {all, all};
  return {{all.parts - all.parts / 2, all.in_proportion}, {all.parts / 2, all.in_proportion}};
}

/// Splits off the right part of the range and leaves the left part.
template <typename Range>
Range take_right(Range& range, const two_parts& into) {
  if constexpr (std::is_constructible_v<Range, Range&, proportional_split&>) {
    if (into.left.in_proportion) {
      proportional_split by(into.left.parts, into.right.parts);
      return Range(range, by);
    }
  }
  return Range(range, split_for<Range>());
}

}  // namespace detail

}  // namespace evencube::tbb
