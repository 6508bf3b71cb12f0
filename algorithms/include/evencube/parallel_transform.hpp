#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// The function's result for one element, or for two elements, can be assigned to the output.
template <typename Function, typename Output, typename... Inputs>
concept transforms_elements =
    elements_written_apart<Output> &&
    requires(const Function& f, Output out, Inputs... in) { *out = std::invoke(f, *in...); };

}  // namespace rule

/// Writes `f(element)` for every element of [first, last), in parallel, to the same position in the
/// output, which begins at `out`. Returns the end of the written part. `out` may be equal to
/// `first`; otherwise the written part must not overlap the elements. (The output cannot be a
/// std::vector<bool>, because its elements share words.) All other rules of `parallel_for` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Function>
  requires rule::transforms_elements<Function, Output, Iterator>
Output parallel_transform(Iterator first, Sentinel last, Output out, const Function& f,
                          const loop_options& options = {}) {
  const std::size_t count = detail::distance(first, last);
  const detail::local<Iterator> input{first};
  const detail::local<Output> to{out};
  const detail::local<Function> call{f};
  evencube::parallel_for(
      std::size_t{0}, count,
      [input, to, call](std::size_t i) {
        detail::element(to.it, i) = std::invoke(call.it, detail::element(input.it, i));
      },
      options);
  return detail::advanced(out, count);
}

/// Writes `f(element, other)` for every element of [first, last), in parallel, to the same position
/// in the output, which begins at `out`. `other` is the element at the same position in the input
/// that begins at `first2`. Returns the end of the written part. The rules of `parallel_transform`
/// with one input apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Iterator2, std::random_access_iterator Output,
          typename Function>
  requires rule::transforms_elements<Function, Output, Iterator, Iterator2>
Output parallel_transform(Iterator first, Sentinel last, Iterator2 first2, Output out,
                          const Function& f, const loop_options& options = {}) {
  const std::size_t count = detail::distance(first, last);
  const detail::local<Iterator> input{first};
  const detail::local<Iterator2> input2{first2};
  const detail::local<Output> to{out};
  const detail::local<Function> call{f};
  evencube::parallel_for(
      std::size_t{0}, count,
      [input, input2, to, call](std::size_t i) {
        detail::element(to.it, i) =
            std::invoke(call.it, detail::element(input.it, i), detail::element(input2.it, i));
      },
      options);
  return detail::advanced(out, count);
}

/// Writes `f(element)` for every element of a range, in parallel, to the same position in the
/// output, which begins at `out`. Returns the end of the written part. The rules of
/// `parallel_transform` with two iterators apply.
template <rule::random_access_sized_range Range, std::random_access_iterator Output,
          typename Function>
  requires rule::transforms_elements<Function, Output, detail::iterator_of<Range>>
Output parallel_transform(Range&& range, Output out, const Function& f,
                          const loop_options& options = {}) {
  return evencube::parallel_transform(std::begin(range), std::end(range), out, f, options);
}

/// Runs `parallel_transform` with one input in a runtime or an arena, from any thread.
template <rule::names_a_place Place, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, std::random_access_iterator Output,
          typename Function>
  requires rule::transforms_elements<Function, Output, Iterator>
Output parallel_transform(Place& place, Iterator first, Sentinel last, Output out,
                          const Function& f, const loop_options& options = {}) {
  return detail::call_on(
      place, [&] { return evencube::parallel_transform(first, last, out, f, options); });
}
/// Runs `parallel_transform` with two inputs in a runtime or an arena, from any thread.
template <rule::names_a_place Place, std::random_access_iterator Iterator,
          std::sized_sentinel_for<Iterator> Sentinel, std::random_access_iterator Iterator2,
          std::random_access_iterator Output, typename Function>
  requires rule::transforms_elements<Function, Output, Iterator, Iterator2>
Output parallel_transform(Place& place, Iterator first, Sentinel last, Iterator2 first2, Output out,
                          const Function& f, const loop_options& options = {}) {
  return detail::call_on(
      place, [&] { return evencube::parallel_transform(first, last, first2, out, f, options); });
}
/// Runs `parallel_transform` on a range in a runtime or an arena, from any thread.
template <rule::names_a_place Place, rule::random_access_sized_range Range,
          std::random_access_iterator Output, typename Function>
  requires rule::transforms_elements<Function, Output, detail::iterator_of<Range>>
Output parallel_transform(Place& place, Range&& range, Output out, const Function& f,
                          const loop_options& options = {}) {
  return detail::call_on(place, [&] {
    return evencube::parallel_transform(std::begin(range), std::end(range), out, f, options);
  });
}

}  // namespace evencube
