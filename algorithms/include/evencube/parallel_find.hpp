#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include <evencube/detail/elements.hpp>
#include <evencube/detail/search.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/where.hpp>

/// Parallel searches. As in loops, an additional first argument `where` specifies where the search
/// runs, its stop token, or both. The search checks the token every 512 elements, and returns an
/// empty std::optional if it is stopped before the result is known.
namespace evencube {

namespace rule {

/// A predicate returns true or false for a projected element.
template <typename Predicate, typename Iterator, typename Projection = std::identity>
concept tells_of_an_element =
    requires(const Predicate& predicate, const Projection& projection, Iterator& i) {
      static_cast<bool>(std::invoke(predicate, std::invoke(projection, *i)));
    };

}  // namespace rule

/// Returns an iterator to the first element of [first, last) for which `predicate` returns true,
/// like std::find_if, or `last` if there is no such element. In all searches, the predicate is
/// called with the projected element, as in the std::ranges algorithms. Predicate and projection
/// may be pointers to members. Elements are checked in parallel. Elements after the result may also
/// be checked, but distant elements are not checked once the result is known. An exception that the
/// predicate throws is rethrown even if an earlier element would have been found. All other rules
/// of `parallel_for` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] Iterator parallel_find_if(Iterator first, Sentinel last, const Predicate& predicate,
                                        const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  const detail::asks_nobody ask;
  return detail::advanced(first, searched.index_of(true, false, ask));
}
/// Like `parallel_find_if` with two iterators, but over a range. The result is an iterator into the
/// range, so the range must not be a temporary object.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::iterator_of<Range> parallel_find_if(Range& range, const Predicate& predicate,
                                                          const Projection& projection = {}) {
  return evencube::parallel_find_if(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_find_if` over iterators, as specified by `where`.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] detail::outcome<Where, Iterator> parallel_find_if(Where&& where, Iterator first,
                                                                Sentinel last,
                                                                const Predicate& predicate,
                                                                const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return detail::search_where(where, [&](const auto& ask) {
    return detail::advanced(first, searched.index_of(true, false, ask));
  });
}
/// Runs `parallel_find_if` over a range, as specified by `where`.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, detail::iterator_of<Range>> parallel_find_if(
    Where&& where, Range& range, const Predicate& predicate, const Projection& projection = {}) {
  return evencube::parallel_find_if(where, std::begin(range), std::end(range), predicate,
                                    projection);
}

/// Returns true if `predicate` returns true for any element of [first, last). Stops when the
/// predicate returns true. All other rules of `parallel_find_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_any_of(Iterator first, Sentinel last, const Predicate& predicate,
                                   const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  const detail::asks_nobody ask;
  return searched.index_of(true, true, ask) != searched.count;
}
/// Returns true if `predicate` returns true for any element of the range. Stops when the predicate
/// returns true.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_any_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_any_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_any_of` over iterators, as specified by `where`.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_any_of(Where&& where, Iterator first,
                                                           Sentinel last,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return detail::search_where(
      where, [&](const auto& ask) { return searched.index_of(true, true, ask) != searched.count; });
}
/// Runs `parallel_any_of` over a range, as specified by `where`.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_any_of(Where&& where, Range&& range,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  return evencube::parallel_any_of(where, std::begin(range), std::end(range), predicate,
                                   projection);
}

/// Returns true if `predicate` returns true for all elements of [first, last). Stops when the
/// predicate returns false. All other rules of `parallel_find_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_all_of(Iterator first, Sentinel last, const Predicate& predicate,
                                   const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  const detail::asks_nobody ask;
  return searched.index_of(false, true, ask) == searched.count;
}
/// Returns true if `predicate` returns true for all elements of the range. Stops when the predicate
/// returns false.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_all_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_all_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_all_of` over iterators, as specified by `where`.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_all_of(Where&& where, Iterator first,
                                                           Sentinel last,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return detail::search_where(where, [&](const auto& ask) {
    return searched.index_of(false, true, ask) == searched.count;
  });
}
/// Runs `parallel_all_of` over a range, as specified by `where`.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_all_of(Where&& where, Range&& range,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  return evencube::parallel_all_of(where, std::begin(range), std::end(range), predicate,
                                   projection);
}

/// Returns true if `predicate` returns false for all elements of [first, last). Stops when the
/// predicate returns true. All other rules of `parallel_find_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] bool parallel_none_of(Iterator first, Sentinel last, const Predicate& predicate,
                                    const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  const detail::asks_nobody ask;
  return searched.index_of(true, true, ask) == searched.count;
}
/// Returns true if `predicate` returns false for all elements of the range. Stops when the
/// predicate returns true.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_none_of(Range&& range, const Predicate& predicate,
                                    const Projection& projection = {}) {
  return evencube::parallel_none_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_none_of` over iterators, as specified by `where`.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_none_of(Where&& where, Iterator first,
                                                            Sentinel last,
                                                            const Predicate& predicate,
                                                            const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return detail::search_where(
      where, [&](const auto& ask) { return searched.index_of(true, true, ask) == searched.count; });
}
/// Runs `parallel_none_of` over a range, as specified by `where`.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_none_of(Where&& where, Range&& range,
                                                            const Predicate& predicate,
                                                            const Projection& projection = {}) {
  return evencube::parallel_none_of(where, std::begin(range), std::end(range), predicate,
                                    projection);
}

/// Returns the number of elements of [first, last) for which `predicate` returns true. All other
/// rules of `parallel_find_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate, typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] std::size_t parallel_count_if(Iterator first, Sentinel last,
                                            const Predicate& predicate,
                                            const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return evencube::parallel_reduce(
      std::size_t{0}, searched.count, std::size_t{0},
      [searched](std::size_t i) -> std::size_t { return searched(i) ? 1 : 0; }, std::plus<>{});
}
/// Returns the number of elements of the range for which `predicate` returns true.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] std::size_t parallel_count_if(Range&& range, const Predicate& predicate,
                                            const Projection& projection = {}) {
  return evencube::parallel_count_if(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_count_if` over iterators, as specified by `where`.
template <rule::says_where Where, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, Iterator, Projection>
[[nodiscard]] detail::outcome<Where, std::size_t> parallel_count_if(
    Where&& where, Iterator first, Sentinel last, const Predicate& predicate,
    const Projection& projection = {}) {
  const detail::search<Iterator, Predicate, Projection> searched{
      first, detail::distance(first, last), predicate, projection};
  return evencube::parallel_reduce(
      where, std::size_t{0}, searched.count, std::size_t{0},
      [searched](std::size_t i) -> std::size_t { return searched(i) ? 1 : 0; }, std::plus<>{});
}
/// Runs `parallel_count_if` over a range, as specified by `where`.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, std::size_t> parallel_count_if(
    Where&& where, Range&& range, const Predicate& predicate, const Projection& projection = {}) {
  return evencube::parallel_count_if(where, std::begin(range), std::end(range), predicate,
                                     projection);
}

}  // namespace evencube
