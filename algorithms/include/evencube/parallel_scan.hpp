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

/// A scan keeps sums, combines them with elements, and writes each to its place.
template <typename Iterator, typename Output, typename Value, typename Combine>
concept scans_elements = elements_written_apart<Output> && std::copyable<Value> &&
                         std::convertible_to<std::iter_reference_t<Iterator>, Value> &&
                         summed_without_narrowing<std::iter_value_t<Iterator>, Value> &&
                         requires(const Combine& combine, Value sum, Value element, Output out) {
                           {
                             combine(std::move(sum), std::move(element))
                           } -> std::convertible_to<Value>;
                           *out = std::as_const(sum);
                         };

}  // namespace rule

namespace detail {

/// A scan in blocks. Who comes to a block whose predecessor's sum is known writes the results at
/// once; else the block is only summed up, and written in a second pass.
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
    // Relaxed: the loop has ended.
    while (next < in_.number() && written_[next].load(std::memory_order_relaxed)) ++next;
    if (next == in_.number()) return;  // the first is always written, so 1 or more
    for (std::size_t b = next; b + 1 < in_.number(); ++b) {
      // Made first: what `combine` gives may be a reference to what is replaced.
      Value sum = combine_(Value(*sums_[b - 1]), std::move(*sums_[b]));
      sums_[b].emplace(std::move(sum));
    }
    detail::for_each_block(in_.number() - next, [&](std::size_t i) {
      static_cast<void>(write(next + i, sums_[next + i - 1]));
    });
  }

 private:
  /// Few, so that sums may be dear; enough for sixteen workers to share them well.
  static constexpr std::size_t most = 512;
  /// Elements of a block: fewer are not worth the sum that is kept for it.
  static constexpr std::size_t least = 16;

  void begin(std::size_t b) {
    // Acquire: pairs with the release below, so that the sum is there.
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
      all = combine_(std::move(all), element(i));
    }
    return all;
  }

  /// Writes the results of a block, which begin with the sum of all before; returns its last sum.
  Value write(std::size_t b, const std::optional<Value>& before) const {
    std::size_t i = in_.first(b);
    const std::size_t last = in_.last(b);
    if constexpr (Inclusive) {
      Value all = before ? Value(combine_(Value(*before), element(i))) : element(i);
      detail::element(out_, i) = std::as_const(all);
      for (++i; i < last; ++i) {
        all = combine_(std::move(all), element(i));
        detail::element(out_, i) = std::as_const(all);
      }
      return all;
    } else {
      Value all = *before;
      for (; i < last; ++i) {
        Value here = element(i);  // before it is written over
        detail::element(out_, i) = std::as_const(all);
        all = combine_(std::move(all), std::move(here));
      }
      return all;
    }
  }

  Iterator first_;
  Output out_;
  std::optional<Value> init_;
  const Combine& combine_;
  blocks in_;
  std::vector<std::optional<Value>> sums_;  // of a block; then of all up to its end
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

/// Writes to the i-th place from `out` on the sum of the elements 0 to i of [first, last) by
/// `combine`, in parallel; returns the end of what was written. Without `combine` elements are
/// added up, as by std::inclusive_scan. `combine` must be associative and need not commute; it is
/// shared by the workers and called concurrently. `out` may be `first`; else what is written may
/// not overlap what is read.
/// At most two calls of `combine` for each element, one with one worker. How sums are grouped may
/// differ between runs, so those of floating-point numbers are rounded differently.
///
/// If calls throw, one of the exceptions is thrown when all have ended, and what was written is a
/// part of the results, in any places. Throws evencube::error outside of a runtime's tasks,
/// std::bad_alloc.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, std::iter_value_t<Iterator>, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out,
                               const Combine& combine = {}) {
  return detail::scan<true, std::iter_value_t<Iterator>>(first, last, out, std::nullopt, combine);
}

/// The same of `init` before all elements. Sums have its type and are not narrowed: doubles are not
/// summed up in an int, nor 64 bits in 32.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine, typename Value>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out, const Combine& combine,
                               Value init) {
  return detail::scan<true, Value>(first, last, out, std::optional<Value>(std::move(init)),
                                   combine);
}

/// Writes to the i-th place the sum of `init` and of the elements before the i-th; without
/// `combine` they are added up, as by std::exclusive_scan. Otherwise as parallel_inclusive_scan
/// with `init`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Value, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output parallel_exclusive_scan(Iterator first, Sentinel last, Output out, Value init,
                               const Combine& combine = {}) {
  return detail::scan<false, Value>(first, last, out, std::optional<Value>(std::move(init)),
                                    combine);
}

/// The same as tasks of `rt`, with or without `combine`: from any thread.
template <typename... Arguments>
  requires requires(Arguments&&... a) {
    evencube::parallel_inclusive_scan(std::forward<Arguments>(a)...);
  }
auto parallel_inclusive_scan(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_inclusive_scan(std::forward<Arguments>(arguments)...); });
}
template <typename... Arguments>
  requires requires(Arguments&&... a) {
    evencube::parallel_exclusive_scan(std::forward<Arguments>(a)...);
  }
auto parallel_exclusive_scan(runtime& rt, Arguments&&... arguments) {
  return detail::call_on(
      rt, [&] { return evencube::parallel_exclusive_scan(std::forward<Arguments>(arguments)...); });
}

}  // namespace evencube
