#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/bounds.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/parallel_for.hpp>

namespace evencube {

template <typename T>
class blocked_range;
template <typename Rows, typename Columns>
class blocked_range_2d;
template <typename Pages, typename Rows, typename Columns>
class blocked_range_3d;

namespace detail {

template <typename T>
struct is_blocked : std::false_type {};
template <typename T>
struct is_blocked<blocked_range<T>> : std::true_type {};
template <typename Rows, typename Columns>
struct is_blocked<blocked_range_2d<Rows, Columns>> : std::true_type {};
template <typename Pages, typename Rows, typename Columns>
struct is_blocked<blocked_range_3d<Pages, Rows, Columns>> : std::true_type {};

template <typename Range>
using iterator_of = decltype(std::begin(std::declval<Range&>()));
template <typename Range>
using value_of = std::iter_value_t<iterator_of<Range>>;
template <typename Range>
using reference_of = std::iter_reference_t<iterator_of<Range>>;

}  // namespace detail

namespace rule {

/// A range that has a begin and an end and is not a blocked range.
template <typename Range>
concept range_of_elements = !detail::is_blocked<std::remove_cvref_t<Range>>::value &&
                            requires(std::remove_reference_t<Range>& range) {
                              { std::begin(range) } -> std::input_iterator;
                              { std::end(range) } -> std::sentinel_for<decltype(std::begin(range))>;
                            };

/// A range with random access and a known number of elements.
template <typename Range>
concept random_access_sized_range =
    range_of_elements<Range> && requires(std::remove_reference_t<Range>& range) {
      { std::begin(range) } -> std::random_access_iterator;
      { std::end(range) } -> std::sized_sentinel_for<decltype(std::begin(range))>;
    };

/// The body of a loop over elements takes an element as the iterator gives it. It may be a pointer
/// to a member of the element.
template <typename Body, typename Iterator>
concept callable_with_the_element = std::invocable<const Body&, std::iter_reference_t<Iterator>>;

/// Different threads can write neighbouring elements. Neighbours in a std::vector<bool> share a
/// word.
template <typename Iterator>
concept elements_written_apart = !std::same_as<std::iter_value_t<Iterator>, bool> ||
                                 std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>;

/// A number must not lose its fraction, or bits beyond those of an int, where values are summed up.
template <typename From, typename To>
concept summed_without_narrowing =
    !(std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) ||
    ((std::is_floating_point_v<To> || !std::is_floating_point_v<From>) &&
     (sizeof(From) <= sizeof(To) || sizeof(To) < sizeof(int) ||
      (std::is_floating_point_v<To> && !std::is_floating_point_v<From>)));

}  // namespace rule

namespace detail {

/// The number of elements; 0 if the end is before the beginning.
template <typename Iterator, typename Sentinel>
std::size_t distance(const Iterator& first, const Sentinel& last) {
  const auto n = last - first;
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

template <typename Iterator>
decltype(auto) element(const Iterator& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<Iterator>>(i)];
}

template <typename Iterator>
Iterator advanced(const Iterator& first, std::size_t n) {
  return first + static_cast<std::iter_difference_t<Iterator>>(n);
}

/// [0, count) in blocks of equal length, except the last. The blocks depend on nothing else, so
/// neither do sums that are made block by block.
class blocks {
 public:
  /// The largest number of blocks. This many cost little, and are enough for the largest machine.
  static constexpr std::size_t most = 2048;

  /// Makes blocks of `grain` elements; if `grain` is 0, as many blocks as allowed, each of at least
  /// `least` elements.
  blocks(std::size_t count, std::size_t grain, std::size_t at_most = most,
         std::size_t least = 1) noexcept
      : count_(count), length_(grain) {
    if (grain == 0) length_ = (std::max)(count != 0 ? (count - 1) / at_most + 1 : 1, least);
  }

  [[nodiscard]] std::size_t number() const noexcept {
    return count_ != 0 ? (count_ - 1) / length_ + 1 : 0;
  }
  [[nodiscard]] std::size_t first(std::size_t block) const noexcept { return block * length_; }
  [[nodiscard]] std::size_t last(std::size_t block) const noexcept {
    return count_ - first(block) < length_ ? count_ : first(block) + length_;
  }

 private:
  std::size_t count_;
  std::size_t length_;
};

/// Calls run(b) for each of `number` blocks, in parallel. A block is long enough that the loop
/// checks for requests after each.
template <typename Run>
void for_each_block(std::size_t number, const Run& run) {
  evencube::parallel_for(std::size_t{0}, number, run, {.grain = 1});
}

/// Calls `body(first, last)` for several neighbouring blocks at once, with indices of elements of
/// the whole range. The blocks of a call are those that the loop runs between two checks for
/// requests.
template <typename Body>
struct for_each_span {
  using value = std::monostate;
  static constexpr std::size_t grain = 0;

  [[nodiscard]] value start(std::size_t block) const {
    body(in.first(block), in.last(block));
    return {};
  }
  void step(value&, std::size_t block, std::size_t n) const {
    body(in.first(block), in.last(block + n - 1));
  }
  void step(value&, std::size_t block) const { body(in.first(block), in.last(block)); }
  void append(value&, value&&) const noexcept {}
  [[nodiscard]] const for_each_span& local_copy() const { return *this; }

  const blocks& in;
  const Body& body;
};

}  // namespace detail

}  // namespace evencube
