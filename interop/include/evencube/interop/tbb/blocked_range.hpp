#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace evencube::tbb {

namespace detail {

struct any_split;

/// True for the class `split` in oneTBB's own headers; programs that include those headers split
/// ranges with it.
template <typename T>
concept split_of_tbb = std::is_empty_v<T> && std::is_class_v<T> &&
                       std::is_default_constructible_v<T> && !std::is_same_v<T, any_split>;

}  // namespace detail

struct split {
  split() = default;
  template <detail::split_of_tbb Other>
  // NOLINTNEXTLINE(google-explicit-constructor): equivalent types
  split(const Other& /*other*/) {}
};

/// The ratio of two parts' sizes.
class proportional_split {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}
  /// Converts from the class in oneTBB's own headers.
  template <typename Other>
    requires requires(const Other& other) {
      { other.left() } -> std::same_as<std::size_t>;
      { other.right() } -> std::same_as<std::size_t>;
    }
  // NOLINTNEXTLINE(google-explicit-constructor): equivalent types
  proportional_split(const Other& other) : left_(other.left()), right_(other.right()) {}
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] std::size_t right() const noexcept { return right_; }
  explicit operator split() const { return {}; }

 private:
  std::size_t left_;
  std::size_t right_;
};

namespace detail {

/// Returns the size of the right part when `size` elements are split. If there are two elements or
/// more, neither part is empty, so no body gets an empty range. The product may overflow an
/// integer, so it is computed in floating point.
inline std::size_t right_part(std::size_t size, const proportional_split& as) noexcept {
  const auto right = static_cast<long double>(as.right());
  const long double part =
      static_cast<long double>(size) * right / (static_cast<long double>(as.left()) + right);
  if (size < 2) return 0;
  if (!(part < static_cast<long double>(size - 1))) return size - 1;
  return part < 1 ? 1 : static_cast<std::size_t>(part + 0.5L);
}

/// Converts to another library's split type, for ranges and bodies that take that type.
struct any_split {
  template <typename Split>
    requires(std::is_empty_v<Split> && std::is_default_constructible_v<Split>)
  // NOLINTNEXTLINE(google-explicit-constructor): the parameter says which type
  operator Split() const {
    return Split();
  }
};
/// The split type that T takes.
template <typename T>
using split_for = std::conditional_t<std::is_constructible_v<T, T&, split>, split, any_split>;

}  // namespace detail

/// A half-open range of integers, iterators or pointers, divisible down to the grain.
template <typename Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;
  static constexpr bool is_splittable_in_proportion = true;

  /// Makes the range [begin, end) with the grain `grainsize`. Throws std::invalid_argument for a
  /// grain of 0.
  blocked_range(Value begin, Value end, size_type grainsize = 1)
      : begin_(begin), end_(end), grainsize_(grainsize) {
    if (grainsize == 0)
      throw std::invalid_argument("blocked_range: the grain size is 0; at least 1");
  }
  /// Takes the right half of `r`, and leaves the left half in `r`.
  blocked_range(blocked_range& r, split) : blocked_range(r, r.size() / 2, tail()) {}
  /// Takes the right part of `r`, in the proportion `as`, and leaves the left part in `r`.
  blocked_range(blocked_range& r, const proportional_split& as)
      : blocked_range(r, detail::right_part(r.size(), as), tail()) {}

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] size_type size() const {
    // Unsigned, because Value may be unable to represent the difference.
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<size_type>(end_) - static_cast<size_type>(begin_);
    } else {
      return static_cast<size_type>(end_ - begin_);
    }
  }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }

 private:
  struct tail {};
  blocked_range(blocked_range& r, size_type right, tail)
      : begin_(at(r.begin_, r.size() - right)), end_(r.end_), grainsize_(r.grainsize_) {
    r.end_ = begin_;
  }
  static Value at(const Value& begin, size_type n) {
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(static_cast<size_type>(begin) + n);
    } else {
      return begin + static_cast<decltype(std::declval<Value>() - std::declval<Value>())>(n);
    }
  }

  Value begin_;
  Value end_;
  size_type grainsize_;
};

namespace detail {

/// Compares the lengths of two dimensions, in grains, to halve the longer one.
template <typename A, typename B>
bool longer(const blocked_range<A>& a, const blocked_range<B>& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) >
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

}  // namespace detail

}  // namespace evencube::tbb
