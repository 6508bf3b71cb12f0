#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/elements.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/small_sort.hpp>
#include <evencube/fork_join.hpp>

namespace evencube::detail {

/// Memory for as many elements as are sorted. They are constructed all together.
template <typename T>
class spare_room {
 public:
  explicit spare_room(std::size_t count)
      : count_(count), first_(std::allocator<T>().allocate(count)) {}
  spare_room(const spare_room&) = delete;
  spare_room& operator=(const spare_room&) = delete;
  ~spare_room() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = 0; i < count_; ++i) first_[i].~T();
    }
    std::allocator<T>().deallocate(first_, count_);
  }
  [[nodiscard]] T* first() const noexcept { return first_; }

 private:
  std::size_t count_;
  T* first_;
};

/// A merge sort between the range and a room of the same size. The leaves are sorted in the range
/// and moved to the room. Each level of merges moves everything to the other side. With an odd
/// number of levels it ends in the range.
///
/// No function here throws. An exception of a comparison is kept in `failure_`, and from then on
/// all elements are moved on without comparisons. So every element comes back into the range.
template <bool Stable, typename Iterator, typename Compare, typename Projection>
class merge_sort {
 public:
  using value = std::iter_value_t<Iterator>;
  using less_type = projected_less<Compare, Projection>;

  merge_sort(const Iterator& first, std::size_t count, const less_type& less, unsigned workers)
      : first_(first), count_(count), less_(less), workers_(workers) {}

  void run() {
    if (count_ <= (Stable ? leaf : unforked) || (!Stable && workers_ == 1)) {
      sort_leaf(0, count_);
    } else {
      const spare_room<value> room(count_);
      room_ = room.first();
      unsigned levels = 1;
      while ((count_ - 1) >> levels >= (Stable ? leaf : 2 * unforked) &&
             (Stable || (levels < most_levels && 1U << levels < leaves_each * workers_))) {
        levels += 2;
      }
      sort(0, count_, levels);
    }
    failure_.rethrow();
  }

 private:
  static constexpr std::size_t leaf = 32;        // of a stable sort
  static constexpr std::size_t unforked = 2048;  // the most that one worker sorts or merges
  // For an unstable sort, in which levels of merges take longer than levels of the leaves: only as
  // many as keep the workers busy.
  static constexpr unsigned most_levels = 9;
  static constexpr unsigned leaves_each = 16;

  /// Sorts a leaf in the range.
  void sort_leaf(std::size_t from, std::size_t to) noexcept {
    if (failure_.present()) return;
    try {
      if constexpr (Stable) {
        detail::insertion_sort(detail::advanced(first_, from), to - from, less_);
      } else {
        detail::sort_unstably(detail::advanced(first_, from), to - from, less_);
      }
    } catch (...) {
      failure_.keep();
    }
  }

  /// Sorts a part. The result is in the range if `levels` is odd, and in the room if it is even.
  void sort(std::size_t from, std::size_t to, unsigned levels) noexcept {
    if (levels == 0) {
      sort_leaf(from, to);
      for (std::size_t i = from; i < to; ++i) {
        ::new (static_cast<void*>(room_ + i)) value(std::move(detail::element(first_, i)));
      }
      return;
    }
    const std::size_t middle = from + (to - from) / 2;
    fork(
        to - from, [=, this] { sort(from, middle, levels - 1); },
        [=, this] { sort(middle, to, levels - 1); });
    if (levels % 2 != 0) {
      merge(room_, {from, middle, middle, to}, first_, from);
    } else {
      merge(first_, {from, middle, middle, to}, room_, from);
    }
  }

  /// Two sorted parts of the same side.
  struct parts {
    std::size_t a;
    std::size_t a_end;
    std::size_t b;
    std::size_t b_end;
    [[nodiscard]] std::size_t count() const noexcept { return a_end - a + (b_end - b); }
  };

  template <typename From, typename To>
  void merge(const From& from, const parts& p, const To& to, std::size_t out) noexcept {
    if (p.count() <= 2 * unforked) {
      merge_here(from, p, to, out);
      return;
    }
    const std::size_t half = p.count() / 2;
    const std::size_t of_a = share_of_a(from, p, half);
    const std::size_t a = p.a + of_a;
    const std::size_t b = p.b + (half - of_a);
    fork(
        p.count(), [&, this] { merge(from, {p.a, a, p.b, b}, to, out); },
        [&, this] { merge(from, {a, p.a_end, b, p.b_end}, to, out + half); });
  }

  /// The number of elements among the first `half` of the merged parts that are from the first
  /// part.
  template <typename From>
  std::size_t share_of_a(const From& from, const parts& p, std::size_t half) noexcept {
    const std::size_t b_count = p.b_end - p.b;
    std::size_t low = half > b_count ? half - b_count : 0;
    std::size_t high = (std::min)(half, p.a_end - p.a);
    if (failure_.present()) return low;
    try {
      while (low < high) {
        const std::size_t i = low + (high - low) / 2;
        if (less_(detail::element(from, p.b + (half - i) - 1), detail::element(from, p.a + i))) {
          high = i;
        } else {
          low = i + 1;
        }
      }
    } catch (...) {
      failure_.keep();
    }
    return low;
  }

  template <typename From, typename To>
  void merge_here(const From& from, parts p, const To& to, std::size_t out) noexcept {
    try {
      while (p.a < p.a_end && p.b < p.b_end) {
        if (less_(detail::element(from, p.b), detail::element(from, p.a))) {
          detail::element(to, out) = std::move(detail::element(from, p.b));
          ++p.b;
        } else {
          detail::element(to, out) = std::move(detail::element(from, p.a));
          ++p.a;
        }
        ++out;
      }
    } catch (...) {
      failure_.keep();
    }
    for (; p.a < p.a_end; ++p.a, static_cast<void>(++out)) {
      detail::element(to, out) = std::move(detail::element(from, p.a));
    }
    for (; p.b < p.b_end; ++p.b, static_cast<void>(++out)) {
      detail::element(to, out) = std::move(detail::element(from, p.b));
    }
  }

  /// Forks if there is enough to do. Neither part throws, so neither is dropped.
  template <typename F, typename G>
  static void fork(std::size_t count, const F& f, const G& g) noexcept {
    if (count > 2 * unforked) {
      try {
        evencube::fork_join(f, g);
        return;
      } catch (const std::bad_alloc&) {
        // Neither part has begun: the exception comes from the queue, which had to grow for `g`.
      }
    }
    f();
    g();
  }

  Iterator first_;
  std::size_t count_;
  less_type less_;
  unsigned workers_;
  value* room_ = nullptr;
  first_failure failure_;
};

}  // namespace evencube::detail
