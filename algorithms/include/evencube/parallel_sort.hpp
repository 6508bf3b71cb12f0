#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/detail/merge_sort.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube {

namespace rule {

/// The elements to sort are movable objects, not proxies.
template <typename Iterator>
concept iterator_of_movable_objects =
    std::random_access_iterator<Iterator> &&
    std::same_as<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>&> &&
    std::movable<std::iter_value_t<Iterator>>;

/// A comparison takes two projected elements. Either may be const, because the sort sets one
/// element aside and must not change it.
template <typename Compare, typename Projection, typename Iterator>
concept compares_elements = requires(const Compare& compare, const Projection& projection,
                                     Iterator& i, const std::iter_value_t<Iterator>& kept) {
  static_cast<bool>(std::invoke(compare, std::invoke(projection, *i), std::invoke(projection, *i)));
  static_cast<bool>(
      std::invoke(compare, std::invoke(projection, kept), std::invoke(projection, *i)));
  static_cast<bool>(
      std::invoke(compare, std::invoke(projection, *i), std::invoke(projection, kept)));
  static_cast<bool>(
      std::invoke(compare, std::invoke(projection, kept), std::invoke(projection, kept)));
};

}  // namespace rule

namespace detail {

template <bool Stable, typename Iterator, typename Sentinel, typename Compare, typename Projection>
void sort_elements(const Iterator& first, const Sentinel& last, const Compare& compare,
                   const Projection& projection, const char* what) {
  static_cast<void>(detail::worker_here(what));
  using value = std::iter_value_t<Iterator>;
  const std::size_t count = detail::distance(first, last);
  const projected_less<Compare, Projection> less{compare, projection};
  if constexpr (std::is_nothrow_move_constructible_v<value> &&
                std::is_nothrow_move_assignable_v<value>) {
    merge_sort<Stable, Iterator, Compare, Projection>(first, count, less, this_task::workers())
        .run();
  } else if constexpr (Stable) {
    std::stable_sort(first, detail::advanced(first, count), less);
  } else {
    std::sort(first, detail::advanced(first, count), less);
  }
}

}  // namespace detail

/// Sorts [first, last) in parallel; `compare` is called with projected elements. The workers sort
/// runs and merge them; several workers may share one merge. The sort makes O(n log n) comparisons
/// and copies no elements. It needs as much extra memory as the elements occupy, except with one
/// worker or for at most 2048 elements. The order of equal elements may change, depending on the
/// number of workers; use `parallel_stable_sort` to keep this order. The workers share `compare`
/// and `projection` and call them concurrently.
///
/// If calls of `compare` or `projection` throw, one of the exceptions is rethrown when all workers
/// have left the range. The range then holds all its elements in an unspecified order. The same is
/// true if the comparison is not a strict weak order, except in one case. Floating-point numbers
/// that are compared only by std::less or std::greater are sorted with std::sort, so none of them
/// may be NaN. Elements whose moves may throw are sorted by one worker, with std::sort and its
/// guarantees. Throws evencube::error if called outside of a runtime's tasks. If memory runs out,
/// throws std::bad_alloc before any element is moved.
template <rule::iterator_of_movable_objects Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Compare = std::less<>, typename Projection = std::identity>
  requires rule::compares_elements<Compare, Projection, Iterator>
void parallel_sort(Iterator first, Sentinel last, const Compare& compare = {},
                   const Projection& projection = {}) {
  detail::sort_elements<false>(first, last, compare, projection, "parallel_sort");
}

/// Sorts [first, last) by `compare`, in parallel; equal elements keep their order. All other rules
/// of `parallel_sort` apply.
template <rule::iterator_of_movable_objects Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Compare = std::less<>, typename Projection = std::identity>
  requires rule::compares_elements<Compare, Projection, Iterator>
void parallel_stable_sort(Iterator first, Sentinel last, const Compare& compare = {},
                          const Projection& projection = {}) {
  detail::sort_elements<true>(first, last, compare, projection, "parallel_stable_sort");
}

/// Sorts a range by `compare`, in parallel. The rules of `parallel_sort` with two iterators apply.
template <rule::random_access_sized_range Range, typename Compare = std::less<>,
          typename Projection = std::identity>
  requires rule::iterator_of_movable_objects<detail::iterator_of<Range>> &&
           rule::compares_elements<Compare, Projection, detail::iterator_of<Range>>
void parallel_sort(Range&& range, const Compare& compare = {}, const Projection& projection = {}) {
  evencube::parallel_sort(std::begin(range), std::end(range), compare, projection);
}
/// Sorts a range by `compare`, in parallel; equal elements keep their order. All other rules of
/// `parallel_sort` with two iterators apply.
template <rule::random_access_sized_range Range, typename Compare = std::less<>,
          typename Projection = std::identity>
  requires rule::iterator_of_movable_objects<detail::iterator_of<Range>> &&
           rule::compares_elements<Compare, Projection, detail::iterator_of<Range>>
void parallel_stable_sort(Range&& range, const Compare& compare = {},
                          const Projection& projection = {}) {
  evencube::parallel_stable_sort(std::begin(range), std::end(range), compare, projection);
}

/// Runs `parallel_sort` with two iterators in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::iterator_of_movable_objects Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Compare = std::less<>,
          typename Projection = std::identity>
  requires rule::compares_elements<Compare, Projection, Iterator>
void parallel_sort(Place& place, Iterator first, Sentinel last, const Compare& compare = {},
                   const Projection& projection = {}) {
  detail::call_on(place, [&] { evencube::parallel_sort(first, last, compare, projection); });
}
/// Runs `parallel_stable_sort` with two iterators in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::iterator_of_movable_objects Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Compare = std::less<>,
          typename Projection = std::identity>
  requires rule::compares_elements<Compare, Projection, Iterator>
void parallel_stable_sort(Place& place, Iterator first, Sentinel last, const Compare& compare = {},
                          const Projection& projection = {}) {
  detail::call_on(place, [&] { evencube::parallel_stable_sort(first, last, compare, projection); });
}
/// Runs `parallel_sort` on a range in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::random_access_sized_range Range,
          typename Compare = std::less<>, typename Projection = std::identity>
  requires rule::iterator_of_movable_objects<detail::iterator_of<Range>> &&
           rule::compares_elements<Compare, Projection, detail::iterator_of<Range>>
void parallel_sort(Place& place, Range&& range, const Compare& compare = {},
                   const Projection& projection = {}) {
  detail::call_on(place, [&] { evencube::parallel_sort(range, compare, projection); });
}
/// Runs `parallel_stable_sort` on a range in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::random_access_sized_range Range,
          typename Compare = std::less<>, typename Projection = std::identity>
  requires rule::iterator_of_movable_objects<detail::iterator_of<Range>> &&
           rule::compares_elements<Compare, Projection, detail::iterator_of<Range>>
void parallel_stable_sort(Place& place, Range&& range, const Compare& compare = {},
                          const Projection& projection = {}) {
  detail::call_on(place, [&] { evencube::parallel_stable_sort(range, compare, projection); });
}

}  // namespace evencube
