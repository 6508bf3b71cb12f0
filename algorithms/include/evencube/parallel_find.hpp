#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A predicate returns true or false for what the projection returns for an element.
template <typename Predicate, typename Iterator, typename Projection = std::identity>
concept tells_of_an_element =
    requires(const Predicate& predicate, const Projection& projection, Iterator& i) {
      static_cast<bool>(std::invoke(predicate, std::invoke(projection, *i)));
    };

}  // namespace rule

namespace detail {

/// The number of elements that a worker checks before it looks again at what other workers have
/// found.
inline constexpr std::size_t glance = 512;
/// The most blocks of a search: few, so that short ranges are not all bookkeeping, but enough to
/// share them well.
inline constexpr std::size_t searched_blocks = 256;

struct asks_nobody {
  void operator()() const noexcept {}
};

/// Returns the lowest index below `count` for which `holds` returns true, or `count` if there is
/// none. With `any`, returns any such index. Calls `ask` every `glance` elements; it throws if the
/// search is to end.
template <typename Holds, typename Ask = asks_nobody>
std::size_t lowest_index(std::size_t count, bool any, const Holds& holds, const Ask& ask = {}) {
  // Relaxed everywhere: the number only falls, and its final value is read after the loop has
  // ended.
  std::atomic<std::size_t> lowest{count};
  const blocks in(count, 0, searched_blocks);
  detail::for_each_block(in.number(), [&](std::size_t b) {
    const std::size_t last = in.last(b);
    for (std::size_t from = in.first(b); from < last; from += glance) {
      const std::size_t known = lowest.load(std::memory_order_relaxed);
      if (known < from || (any && known != count)) return;
      ask();
      const std::size_t to = last - from < glance ? last : from + glance;
      for (std::size_t i = from; i < to; ++i) {
        if (!holds(i)) continue;
        for (std::size_t seen = known; i < seen;) {
          if (lowest.compare_exchange_weak(seen, i, std::memory_order_relaxed)) break;
        }
        return;
      }
    }
  });
  return lowest.load(std::memory_order_relaxed);
}

}  // namespace detail

/// Returns the first element of [first, last) for which `predicate` returns true, like
/// std::find_if; `last` if there is none. With a projection, here and below, the predicate is asked
/// for what the projection returns for the element, as in the algorithms of std::ranges; both may
/// be pointers to members. Elements are checked in parallel. Some behind the result
/// may be checked, but none far behind it once it is known. An exception of the predicate is thrown
/// even if an earlier element would have been found. All other rules are those of `parallel_for`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] Iterator parallel_find_if(Iterator first, Sentinel last, const Predicate& predicate,
                                        const Projection& projection = {}) {
  const std::size_t found =
      detail::lowest_index(detail::distance(first, last), false, [&](std::size_t i) {
        return static_cast<bool>(
            std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
      });
  return detail::advanced(first, found);
}

/// Returns true if `predicate` returns true for any element of [first, last). Stops when one is
/// found. All other rules are those of `parallel_for`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_any_of(Iterator first, Sentinel last, const Predicate& predicate,
                                   const Projection& projection = {}) {
  const std::size_t count = detail::distance(first, last);
  return detail::lowest_index(count, true, [&](std::size_t i) {
           return static_cast<bool>(
               std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
         }) != count;
}

/// Returns true if `predicate` returns true for all elements of [first, last). Stops when it finds
/// one for which the predicate returns false. All other rules are those of `parallel_for`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_all_of(Iterator first, Sentinel last, const Predicate& predicate,
                                   const Projection& projection = {}) {
  const std::size_t count = detail::distance(first, last);
  return detail::lowest_index(count, true, [&](std::size_t i) {
           return !static_cast<bool>(
               std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
         }) == count;
}

/// Returns true if `predicate` returns true for no element of [first, last). Stops when one is
/// found. All other rules are those of `parallel_for`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_none_of(Iterator first, Sentinel last, const Predicate& predicate,
                                    const Projection& projection = {}) {
  return !evencube::parallel_any_of(first, last, predicate, projection);
}

/// Returns the number of elements of [first, last) for which `predicate` returns true. All other
/// rules are those of `parallel_for`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] std::size_t parallel_count_if(Iterator first, Sentinel last,
                                            const Predicate& predicate,
                                            const Projection& projection = {}) {
  return evencube::parallel_reduce(
      std::size_t{0}, detail::distance(first, last), std::size_t{0},
      [&](std::size_t i) -> std::size_t {
        return static_cast<bool>(
                   std::invoke(predicate, std::invoke(projection, detail::element(first, i))))
                   ? 1
                   : 0;
      },
      [](std::size_t a, std::size_t b) { return a + b; });
}

/// Like `parallel_find_if` of two iterators, for the elements of a range. The result is an iterator
/// of the range, which must not be a temporary object.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] auto parallel_find_if(Range& range, const Predicate& predicate,
                                    const Projection& projection = {}) {
  return evencube::parallel_find_if(std::begin(range), std::end(range), predicate, projection);
}
/// Returns true if `predicate` returns true for any element of the range. Stops when one is found.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_any_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_any_of(std::begin(range), std::end(range), predicate, projection);
}
/// Returns true if `predicate` returns true for all elements of the range. Stops when it finds one
/// for which the predicate returns false.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_all_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_all_of(std::begin(range), std::end(range), predicate, projection);
}
/// Returns true if `predicate` returns true for no element of the range. Stops when one is found.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_none_of(Range&& range, const Predicate& predicate,
                                    const Projection& projection = {}) {
  return evencube::parallel_none_of(std::begin(range), std::end(range), predicate, projection);
}
/// Returns the number of elements of the range for which `predicate` returns true.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] std::size_t parallel_count_if(Range&& range, const Predicate& predicate,
                                            const Projection& projection = {}) {
  return evencube::parallel_count_if(std::begin(range), std::end(range), predicate, projection);
}

/// Runs `parallel_find_if` for iterators or a range as a task of `rt`, from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) { evencube::parallel_find_if(std::forward<Arguments>(a)...); }
[[nodiscard]] auto parallel_find_if(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_find_if(std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_any_of` for iterators or a range as a task of `rt`, from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) { evencube::parallel_any_of(std::forward<Arguments>(a)...); }
[[nodiscard]] bool parallel_any_of(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_any_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_all_of` for iterators or a range as a task of `rt`, from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) { evencube::parallel_all_of(std::forward<Arguments>(a)...); }
[[nodiscard]] bool parallel_all_of(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_all_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_none_of` for iterators or a range as a task of `rt`, from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) { evencube::parallel_none_of(std::forward<Arguments>(a)...); }
[[nodiscard]] bool parallel_none_of(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_none_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `parallel_count_if` for iterators or a range as a task of `rt`, from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) {
    evencube::parallel_count_if(std::forward<Arguments>(a)...);
  }
[[nodiscard]] std::size_t parallel_count_if(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_count_if(std::forward<Arguments>(arguments)...); });
}

}  // namespace evencube
