#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A scan keeps sums, combines them with elements, and writes each sum to its place.
template <typename Iterator, typename Output, typename Value, typename Combine>
concept scans_elements = elements_written_apart<Output> && std::copyable<Value> &&
                         std::convertible_to<std::iter_reference_t<Iterator>, Value> &&
                         summed_without_narrowing<std::iter_value_t<Iterator>, Value> &&
                         requires(const Combine& combine, Value sum, Value element, Output out) {
                           {
                             std::invoke(combine, std::move(sum), std::move(element))
                           } -> std::convertible_to<Value>;
                           *out = std::as_const(sum);
                         };

}  // namespace rule

namespace detail {

/// A scan in blocks. A worker that begins a block whose predecessor's sum is known writes the
/// results at once. Otherwise it only sums the block up, and the results are written in a second
/// pass.
template <typename Value, bool Inclusive, typename Iterator, typename Output, typename Combine>
class block_scan {
 public:
  block_scan(Iterator first, std::size_t count, Output out, std::optional<Value> init,
             const Combine& combine)
      : first_(first),
        out_(out),
        init_(std::move(init)),
        combine_(combine),
        in_(count, 0, most, least),
        sums_(in_.number()),
        written_(in_.number()) {}

  void run() {
    detail::for_each_block(in_.number(), [this](std::size_t b) { begin(b); });
    std::size_t next = 0;
    // Relaxed, because the loop has ended.
    while (next < in_.number() && written_[next].load(std::memory_order_relaxed)) ++next;
    if (next == in_.number()) return;  // at least 1, because the first block is always written
    for (std::size_t b = next; b + 1 < in_.number(); ++b) {
      // Made first, because `combine` may return a reference to the value that is replaced.
      Value sum = std::invoke(combine_, Value(*sums_[b - 1]), std::move(*sums_[b]));
      sums_[b].emplace(std::move(sum));
    }
    detail::for_each_block(in_.number() - next, [&](std::size_t i) {
      static_cast<void>(write(next + i, sums_[next + i - 1]));
    });
  }

 private:
  /// The most blocks: few, so that sums may be expensive, but enough for sixteen workers to share
  /// them well.
  static constexpr std::size_t most = 512;
  /// The fewest elements of a block; fewer are not worth the sum that is kept for them.
  static constexpr std::size_t least = 16;

  void begin(std::size_t b) {
    // Acquire: pairs with the release below, so that the sum is visible.
    if (b == 0 || written_[b - 1].load(std::memory_order_acquire)) {
      sums_[b].emplace(write(b, b == 0 ? init_ : sums_[b - 1]));
      written_[b].store(true, std::memory_order_release);
    } else if (b + 1 < in_.number()) {
      sums_[b].emplace(sum(b));
    }
  }

  [[nodiscard]] Value element(std::size_t i) const { return detail::element(first_, i); }

  [[nodiscard]] Value sum(std::size_t b) const {
    const std::size_t last = in_.last(b);
    Value all = element(in_.first(b));
    for (std::size_t i = in_.first(b) + 1; i < last; ++i) {
      all = std::invoke(combine_, std::move(all), element(i));
    }
    return all;
  }

  /// Writes the results of block `b`, which begin with the sum of all elements `before` it, and
  /// returns the last sum.
  Value write(std::size_t b, const std::optional<Value>& before) const {
    std::size_t i = in_.first(b);
    const std::size_t last = in_.last(b);
    if constexpr (Inclusive) {
      Value all = before ? Value(std::invoke(combine_, Value(*before), element(i))) : element(i);
      detail::element(out_, i) = std::as_const(all);
      for (++i; i < last; ++i) {
        all = std::invoke(combine_, std::move(all), element(i));
        detail::element(out_, i) = std::as_const(all);
      }
      return all;
    } else {
      Value all = *before;
      for (; i < last; ++i) {
        Value here = element(i);  // before the element is overwritten
        detail::element(out_, i) = std::as_const(all);
        all = std::invoke(combine_, std::move(all), std::move(here));
      }
      return all;
    }
  }

  Iterator first_;
  Output out_;
  std::optional<Value> init_;
  const Combine& combine_;
  blocks in_;
  std::vector<std::optional<Value>> sums_;  // the sum of a block; later the sum of everything up to
                                            // its end
  std::vector<std::atomic<bool>> written_;
};

template <bool Inclusive, typename Value, typename Iterator, typename Sentinel, typename Output,
          typename Combine>
Output scan(const Iterator& first, const Sentinel& last, const Output& out,
            std::optional<Value> init, const Combine& combine) {
  static_cast<void>(detail::worker_here("parallel_scan"));
  const std::size_t count = detail::distance(first, last);
  if (count != 0) {
    block_scan<Value, Inclusive, Iterator, Output, Combine>(first, count, out, std::move(init),
                                                            combine)
        .run();
  }
  return detail::advanced(out, count);
}

}  // namespace detail

/// Writes the inclusive sums of [first, last): place i from `out` on gets the sum of the elements 0
/// to i by `combine`, computed in parallel. Returns the end of the written part. Without `combine`,
/// elements are added up, as in std::inclusive_scan. `combine` must be associative and need not
/// commute; the workers share it and call it concurrently. `out` may be equal to `first`; otherwise
/// the written part must not overlap the elements.
/// It takes at most two calls of `combine` for each element, and one with one worker. The grouping
/// of sums may differ between runs, so sums of floating-point numbers may be rounded differently.
///
/// If calls throw, one of the exceptions is thrown when all have ended; any places may then have
/// been written. Throws evencube::error outside of a runtime's tasks, and std::bad_alloc.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, std::iter_value_t<Iterator>, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out,
                               const Combine& combine = {}) {
  return detail::scan<true, std::iter_value_t<Iterator>>(first, last, out, std::nullopt, combine);
}

/// Like `parallel_inclusive_scan` without `init`, but every sum begins with `init`. Sums have the
/// type of `init` and are not narrowed: an int cannot be the sum of doubles, or a 32-bit integer
/// that of 64-bit ones.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine, typename Value>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out, const Combine& combine,
                               Value init) {
  return detail::scan<true, Value>(first, last, out, std::optional<Value>(std::move(init)),
                                   combine);
}

/// Writes the exclusive sums of [first, last): place i from `out` on gets the sum of `init` and the
/// elements before element i. Without `combine`, elements are added up, as in std::exclusive_scan.
/// All other rules are those of `parallel_inclusive_scan` with `init`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Value, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output parallel_exclusive_scan(Iterator first, Sentinel last, Output out, Value init,
                               const Combine& combine = {}) {
  return detail::scan<false, Value>(first, last, out, std::optional<Value>(std::move(init)),
                                    combine);
}

/// Runs `parallel_inclusive_scan`, with or without `combine`, in a runtime or an arena, from any
/// thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) {
    evencube::parallel_inclusive_scan(std::forward<Arguments>(a)...);
  }
auto parallel_inclusive_scan(Place& place, Arguments&&... arguments) {
  return detail::call_on(place, [&] {
    return evencube::parallel_inclusive_scan(std::forward<Arguments>(arguments)...);
  });
}
/// Runs `parallel_exclusive_scan`, with or without `combine`, in a runtime or an arena, from any
/// thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) {
    evencube::parallel_exclusive_scan(std::forward<Arguments>(a)...);
  }
auto parallel_exclusive_scan(Place& place, Arguments&&... arguments) {
  return detail::call_on(place, [&] {
    return evencube::parallel_exclusive_scan(std::forward<Arguments>(arguments)...);
  });
}

}  // namespace evencube
