#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <evencube/detail/elements.hpp>

/// Sorting by one thread such that no element is lost when a comparison throws. While an element is
/// compared, it is in its range, or in a place from which it is put back.
namespace evencube::detail {

/// A place whose element was taken out. The destructor puts the element back where the hole is by
/// then.
template <typename Iterator>
class hole {
 public:
  hole(const Iterator& first, std::size_t at)
      : first_(first), at_(at), taken_(std::move(detail::element(first_, at))) {}
  hole(const hole&) = delete;
  hole& operator=(const hole&) = delete;
  ~hole() { detail::element(first_, at_) = std::move(taken_); }

  /// Swaps the hole with the element before it.
  void move_down() {
    detail::element(first_, at_) = std::move(detail::element(first_, at_ - 1));
    --at_;
  }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[nodiscard]] const std::iter_value_t<Iterator>& taken() const noexcept { return taken_; }

 private:
  Iterator first_;
  std::size_t at_;
  std::iter_value_t<Iterator> taken_;
};

/// Stable. O(n^2).
template <typename Iterator, typename Less>
void insertion_sort(const Iterator& first, std::size_t count, const Less& less) {
  for (std::size_t i = 1; i < count; ++i) {
    if (!less(detail::element(first, i), detail::element(first, i - 1))) continue;
    hole<Iterator> free(first, i);
    do {
      free.move_down();
    } while (free.at() > 0 && less(free.taken(), detail::element(first, free.at() - 1)));
  }
}

template <typename Iterator>
void exchange(const Iterator& first, std::size_t i, std::size_t j) {
  std::iter_value_t<Iterator> one = std::move(detail::element(first, i));
  detail::element(first, i) = std::move(detail::element(first, j));
  detail::element(first, j) = std::move(one);
}

template <typename Iterator, typename Less>
void sift_down(const Iterator& first, std::size_t at, std::size_t count, const Less& less) {
  for (std::size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && less(detail::element(first, child), detail::element(first, child + 1)))
      ++child;
    if (!less(detail::element(first, at), detail::element(first, child))) return;
    detail::exchange(first, at, child);
    at = child;
  }
}

/// O(n log n) for any order of the elements.
template <typename Iterator, typename Less>
void heap_sort(const Iterator& first, std::size_t count, const Less& less) {
  for (std::size_t i = count / 2; i > 0; --i) detail::sift_down(first, i - 1, count, less);
  for (std::size_t end = count; end > 1; --end) {
    detail::exchange(first, 0, end - 1);
    detail::sift_down(first, 0, end - 1, less);
  }
}

/// Puts the median of three elements first.
template <typename Iterator, typename Less>
void choose_pivot(const Iterator& first, std::size_t count, const Less& less) {
  std::size_t low = 1;
  std::size_t high = count - 1;
  const std::size_t middle = count / 2;
  if (less(detail::element(first, high), detail::element(first, low))) std::swap(low, high);
  if (less(detail::element(first, middle), detail::element(first, low))) {
    detail::exchange(first, 0, low);
  } else if (less(detail::element(first, high), detail::element(first, middle))) {
    detail::exchange(first, 0, high);
  } else {
    detail::exchange(first, 0, middle);
  }
}

/// Quicksort by exchanges. Stays within the bounds even if `less` is not an order.
template <typename Iterator, typename Less>
void quick_sort(Iterator first, std::size_t count, unsigned depth, const Less& less) {
  constexpr std::size_t few = 24;
  while (count > few) {
    if (depth-- == 0) {
      detail::heap_sort(first, count, less);
      return;
    }
    detail::choose_pivot(first, count, less);
    std::size_t low = 0;
    std::size_t high = count;
    for (;;) {
      do {
        ++low;
      } while (low < count && less(detail::element(first, low), detail::element(first, 0)));
      do {
        --high;
      } while (high > 0 && less(detail::element(first, 0), detail::element(first, high)));
      if (low >= high) break;
      detail::exchange(first, low, high);
    }
    detail::exchange(first, 0, high);
    // The shorter part is sorted by recursion, so that the stack stays short.
    const std::size_t behind = count - high - 1;
    if (high < behind) {
      detail::quick_sort(first, high, depth, less);
      first = detail::advanced(first, high + 1);
      count = behind;
    } else {
      detail::quick_sort(detail::advanced(first, high + 1), behind, depth, less);
      count = high;
    }
  }
  detail::insertion_sort(first, count, less);
}

/// Compares projected elements.
template <typename Compare, typename Projection>
struct projected_less {
  template <typename A, typename B>
  bool operator()(A&& a, B&& b) const {
    return static_cast<bool>(std::invoke(compare, std::invoke(projection, std::forward<A>(a)),
                                         std::invoke(projection, std::forward<B>(b))));
  }
  const Compare& compare;
  const Projection& projection;
};

/// Numbers in an order of numbers: no comparison throws, so std::sort can be used.
template <typename Value, typename Compare, typename Projection>
inline constexpr bool plain_numbers =
    std::is_arithmetic_v<Value> && std::is_same_v<Projection, std::identity> &&
    (std::is_same_v<Compare, std::less<>> || std::is_same_v<Compare, std::less<Value>> ||
     std::is_same_v<Compare, std::greater<>> || std::is_same_v<Compare, std::greater<Value>>);

template <typename Iterator, typename Compare, typename Projection>
void sort_unstably(const Iterator& first, std::size_t count,
                   const projected_less<Compare, Projection>& less) {
  if constexpr (plain_numbers<std::iter_value_t<Iterator>, Compare, Projection>) {
    std::sort(first, detail::advanced(first, count), less.compare);
  } else {
    unsigned depth = 2;
    for (std::size_t n = count; n > 1; n /= 2) depth += 2;
    detail::quick_sort(first, count, depth, less);
  }
}

}  // namespace evencube::detail
