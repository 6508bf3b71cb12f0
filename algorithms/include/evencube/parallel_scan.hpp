#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <evencube/detail/block_scan.hpp>
#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A scan copies sums, combines sums with elements, and writes each sum to an element of the
/// output.
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

/// Computes the inclusive prefix sums of [first, last) in parallel and writes them to the output
/// that begins at `out`. Sum i combines elements 0 to i with `combine`. Returns the end of the
/// written part. Without `combine`, elements are added, as in std::inclusive_scan. `combine` must
/// be associative but need not be commutative; the workers share it and call it concurrently. `out`
/// may be equal to `first`; otherwise the written part must not overlap the elements.
/// A scan calls `combine` at most twice for each element, or once with one worker. The grouping of
/// sums may differ between runs, so sums of floating-point numbers may be rounded differently.
///
/// If calls throw, one of the exceptions is rethrown when all calls have ended. Any element of
/// the output may have been written by then. Throws evencube::error if called outside of a
/// runtime's tasks. May throw std::bad_alloc.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, std::iter_value_t<Iterator>, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out,
                               const Combine& combine = {}) {
  return detail::scan<true, std::iter_value_t<Iterator>>(first, last, out, std::nullopt, combine);
}

/// Like `parallel_inclusive_scan` without `init`, but every sum begins with `init`. Sums have the
/// type of `init`, and narrowing sums do not compile: doubles cannot be summed into an int, and
/// 64-bit integers cannot be summed into a 32-bit integer.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine, typename Value>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output parallel_inclusive_scan(Iterator first, Sentinel last, Output out, const Combine& combine,
                               Value init) {
  return detail::scan<true, Value>(first, last, out, std::optional<Value>(std::move(init)),
                                   combine);
}

/// Writes the exclusive prefix sums of [first, last) to the output that begins at `out`. Sum i
/// combines `init` and the elements before element i. Without `combine`, elements are added, as in
/// std::exclusive_scan. All other rules of `parallel_inclusive_scan` with `init` apply.
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
