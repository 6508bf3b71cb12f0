#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include <evencube/detail/elements.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/parallel_for_where.hpp>
#include <evencube/where.hpp>

namespace evencube::detail {

/// The number of elements that a worker checks before it looks again at what other workers have
/// found.
inline constexpr std::size_t glance = 512;
/// The maximum number of blocks of a search: few, so that bookkeeping does not dominate short
/// ranges, but enough to share them well.
inline constexpr std::size_t searched_blocks = 256;

struct asks_nobody {
  void operator()() const noexcept {}
};

/// Returns the lowest index below `count` for which `holds` returns true, or `count` if there is
/// none. With `any`, returns any such index. Calls `ask`, which throws if the search must end,
/// every `glance` elements.
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

/// A search of elements by `predicate` of `projection(element)`.
template <typename Iterator, typename Predicate, typename Projection>
struct search {
  [[nodiscard]] bool operator()(std::size_t i) const {
    return static_cast<bool>(
        std::invoke(predicate, std::invoke(projection, detail::element(first, i))));
  }
  /// The lowest index of an element for which the predicate returns `wanted`; with `any`, the index
  /// of any such element.
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

}  // namespace evencube::detail
