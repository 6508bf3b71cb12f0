#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <evencube/detail/elements.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_where.hpp>
#include <evencube/where.hpp>

/// Searches. A first argument `where`, as in loops, says where a search runs and until when. With a
/// token it checks it every 512 elements, and returns nothing if it was stopped before the result
/// was known.
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

/// A search of elements: what `predicate` says of `projection(element)`.
template <typename Iterator, typename Predicate, typename Projection>
struct search {
  [[nodiscard]] bool operator()(std::size_t i) const {
    return static_cast<bool>(
        std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
  }
  /// The lowest index of an element for which the predicate returns `wanted`, or with `any` one of
  /// them.
  template <typename Ask>
  [[nodiscard]] std::size_t index_of(bool wanted, bool any, const Ask& ask) const {
    return detail::lowest_index(
        count, any, [&](std::size_t i) { return (*this)(i) == wanted; }, ask);
  }

  const Iterator& first;
  std::size_t count;
  const Predicate& predicate;
  const Projection& projection;
};

/// Returns run(ask) where `where` says; with a token, nothing if it was stopped.
template <typename Where, typename Run>
auto search_where(Where& where, const Run& run) {
  using result = decltype(run(asks_nobody{}));
  return detail::run_where(where, [&](const auto& until) -> outcome<decltype(until), result> {
    if constexpr (has_token<decltype(until)>) {
      std::optional<result> found;
      static_cast<void>(
          detail::until_stopped([&] { found.emplace(run([&] { detail::ask(until); })); }));
      return found;
    } else {
      return run(asks_nobody{});
    }
  });
}

}  // namespace detail

/// Returns the first element of [first, last) for which `predicate` returns true, like
/// std::find_if; `last` if there is none. With a projection, here and below, the predicate is asked
/// for what the projection returns for the element, as in the algorithms of std::ranges; both may
/// be pointers to members. Elements are checked in parallel. Some behind the result may be checked,
/// but none far behind it once it is known. An exception of the predicate is thrown even if an
/// earlier element would have been found. All other rules are those of `parallel_for`.
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
/// Like `parallel_find_if` of two iterators, for the elements of a range. The result is an iterator
/// of the range, which must not be a temporary object.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::iterator_of<Range> parallel_find_if(Range& range, const Predicate& predicate,
                                                          const Projection& projection = {}) {
  return evencube::parallel_find_if(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_find_if` over iterators where `where` says.
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
/// Runs `parallel_find_if` over a range where `where` says.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, detail::iterator_of<Range>> parallel_find_if(
    Where&& where, Range& range, const Predicate& predicate, const Projection& projection = {}) {
  return evencube::parallel_find_if(where, std::begin(range), std::end(range), predicate,
                                    projection);
}

/// Returns true if `predicate` returns true for any element of [first, last). Stops when one is
/// found. All other rules are those of `parallel_find_if`.
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
/// Returns true if `predicate` returns true for any element of the range. Stops when one is found.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_any_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_any_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_any_of` over iterators where `where` says.
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
/// Runs `parallel_any_of` over a range where `where` says.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_any_of(Where&& where, Range&& range,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  return evencube::parallel_any_of(where, std::begin(range), std::end(range), predicate,
                                   projection);
}

/// Returns true if `predicate` returns true for all elements of [first, last). Stops when it finds
/// one for which the predicate returns false. All other rules are those of `parallel_find_if`.
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
/// Returns true if `predicate` returns true for all elements of the range. Stops when it finds one
/// for which the predicate returns false.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_all_of(Range&& range, const Predicate& predicate,
                                   const Projection& projection = {}) {
  return evencube::parallel_all_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_all_of` over iterators where `where` says.
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
/// Runs `parallel_all_of` over a range where `where` says.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, bool> parallel_all_of(Where&& where, Range&& range,
                                                           const Predicate& predicate,
                                                           const Projection& projection = {}) {
  return evencube::parallel_all_of(where, std::begin(range), std::end(range), predicate,
                                   projection);
}

/// Returns true if `predicate` returns true for no element of [first, last). Stops when one is
/// found. All other rules are those of `parallel_find_if`.
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
/// Returns true if `predicate` returns true for no element of the range. Stops when one is found.
template <rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] bool parallel_none_of(Range&& range, const Predicate& predicate,
                                    const Projection& projection = {}) {
  return evencube::parallel_none_of(std::begin(range), std::end(range), predicate, projection);
}
/// Runs `parallel_none_of` over iterators where `where` says.
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
/// Runs `parallel_none_of` over a range where `where` says.
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
/// rules are those of `parallel_find_if`.
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
/// Runs `parallel_count_if` over iterators where `where` says.
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
/// Runs `parallel_count_if` over a range where `where` says.
template <rule::says_where Where, rule::random_access_sized_range Range, typename Predicate,
          typename Projection = std::identity>
  requires rule::tells_of_an_element<Predicate, detail::iterator_of<Range>, Projection>
[[nodiscard]] detail::outcome<Where, std::size_t> parallel_count_if(
    Where&& where, Range&& range, const Predicate& predicate, const Projection& projection = {}) {
  return evencube::parallel_count_if(where, std::begin(range), std::end(range), predicate,
                                     projection);
}

}  // namespace evencube
