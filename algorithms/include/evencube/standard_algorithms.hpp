#pragma once

#include <functional>
#include <iterator>
#include <utility>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/elements.hpp>
#include <evencube/parallel_find.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/parallel_scan.hpp>
#include <evencube/parallel_sort.hpp>
#include <evencube/parallel_transform.hpp>
#include <evencube/runtime.hpp>

/// The standard library's algorithms, with the same names and arguments.
/// `std::for_each(std::execution::par, a, b, f)` becomes `evencube::for_each(a, b, f)` in a task,
/// or `evencube::for_each(rt, a, b, f)` from any thread.
///
/// These algorithms differ from the standard ones with std::execution::par in several ways.
/// Exceptions reach the caller instead of ending the program. Function objects are shared and
/// called through a const reference. Iterators must satisfy the C++20 concepts and, except in
/// for_each, have random access. Operations need not be commutative. Sums are not narrowed, so
/// `reduce(a, b, 0)` of doubles does not compile. Write `evencube::` before the names. Otherwise,
/// iterators of standard containers select the standard algorithms, which run on one thread.
namespace evencube {

/// Like std::for_each, but in parallel and in any order. Forward and input iterators are also
/// allowed.
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel, typename Function>
  requires rule::callable_with_each_element<Function, Iterator>
void for_each(Iterator first, Sentinel last, const Function& f) {
  evencube::parallel_for_each(std::move(first), last, f);
}

/// Like std::transform, but in parallel. The rules of `parallel_transform` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Function>
  requires rule::transforms_elements<Function, Output, Iterator>
Output transform(Iterator first, Sentinel last, Output out, const Function& f) {
  return evencube::parallel_transform(first, last, out, f);
}
/// Like std::transform with two inputs, but in parallel. The rules are those of
/// `parallel_transform`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Iterator2, std::random_access_iterator Output,
          typename Function>
  requires rule::transforms_elements<Function, Output, Iterator, Iterator2>
Output transform(Iterator first, Sentinel last, Iterator2 first2, Output out, const Function& f) {
  return evencube::parallel_transform(first, last, first2, out, f);
}

/// Like std::copy, but in parallel. The ranges must not overlap.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output>
  requires rule::transforms_elements<std::identity, Output, Iterator>
Output copy(Iterator first, Sentinel last, Output out) {
  return evencube::parallel_transform(first, last, out, std::identity{});
}

/// Like std::fill, but in parallel.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value>
  requires rule::elements_written_apart<Iterator> &&
           std::indirectly_writable<Iterator, const Value&>
void fill(Iterator first, Sentinel last, const Value& value) {
  const detail::local<Iterator> to{first};
  const detail::local<Value> what{value};
  evencube::parallel_for(std::size_t{0}, detail::distance(first, last),
                         [to, what](std::size_t i) { detail::element(to.it, i) = what.it; });
}

/// Like std::transform_reduce with one range, but in parallel: combines `init` and all results of
/// transform(element) by `combine`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value, typename Combine, typename Transform>
  requires rule::gives_the_value_of_an_element<Transform, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value transform_reduce(Iterator first, Sentinel last, Value init,
                                     const Combine& combine, const Transform& transform) {
  return evencube::parallel_reduce(first, last, std::move(init), transform, combine);
}

/// Like std::transform_reduce with two ranges, but in parallel: combines `init` and all results of
/// transform(element, other) by `combine`.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Iterator2, typename Value, typename Combine = std::plus<>,
          typename Transform = std::multiplies<>>
  requires std::invocable<const Transform&, std::iter_reference_t<Iterator>,
                          std::iter_reference_t<Iterator2>> &&
           rule::summed_without_narrowing<std::remove_cvref_t<std::invoke_result_t<
                                              const Transform&, std::iter_reference_t<Iterator>,
                                              std::iter_reference_t<Iterator2>>>,
                                          Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value transform_reduce(Iterator first, Sentinel last, Iterator2 first2, Value init,
                                     const Combine& combine = {}, const Transform& transform = {}) {
  const detail::local<Iterator> input{first};
  const detail::local<Iterator2> input2{first2};
  const detail::local<Transform> call{transform};
  return evencube::parallel_reduce(
      std::size_t{0}, detail::distance(first, last), std::move(init),
      [input, input2, call](std::size_t i) -> Value {
        return std::invoke(call.it, detail::element(input.it, i), detail::element(input2.it, i));
      },
      combine);
}

/// Like std::reduce, but in parallel and in element order.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Value, typename Combine = std::plus<>>
  requires rule::gives_the_value_of_an_element<std::identity, Iterator, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value reduce(Iterator first, Sentinel last, Value init, const Combine& combine = {}) {
  return evencube::parallel_reduce(first, last, std::move(init), std::identity{}, combine);
}
/// Like std::reduce without an initial value, but in parallel and in element order.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel>
[[nodiscard]] std::iter_value_t<Iterator> reduce(Iterator first, Sentinel last) {
  return evencube::reduce(first, last, std::iter_value_t<Iterator>{});
}

/// Like std::inclusive_scan, but in parallel. The rules of `parallel_inclusive_scan` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, std::iter_value_t<Iterator>, Combine>
Output inclusive_scan(Iterator first, Sentinel last, Output out, const Combine& combine = {}) {
  return evencube::parallel_inclusive_scan(first, last, out, combine);
}
/// Like std::inclusive_scan with an initial value, but in parallel. The rules of
/// `parallel_inclusive_scan` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Combine, typename Value>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output inclusive_scan(Iterator first, Sentinel last, Output out, const Combine& combine,
                      Value init) {
  return evencube::parallel_inclusive_scan(first, last, out, combine, std::move(init));
}

/// Like std::exclusive_scan, but in parallel. The rules of `parallel_exclusive_scan` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          std::random_access_iterator Output, typename Value, typename Combine = std::plus<>>
  requires rule::scans_elements<Iterator, Output, Value, Combine>
Output exclusive_scan(Iterator first, Sentinel last, Output out, Value init,
                      const Combine& combine = {}) {
  return evencube::parallel_exclusive_scan(first, last, out, std::move(init), combine);
}

/// Like std::sort, but in parallel. The rules of `parallel_sort` apply.
template <rule::iterator_of_movable_objects Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Compare = std::less<>>
  requires rule::compares_elements<Compare, std::identity, Iterator>
void sort(Iterator first, Sentinel last, const Compare& compare = {}) {
  evencube::parallel_sort(first, last, compare);
}
/// Like std::stable_sort, but in parallel. The rules of `parallel_stable_sort` apply.
template <rule::iterator_of_movable_objects Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Compare = std::less<>>
  requires rule::compares_elements<Compare, std::identity, Iterator>
void stable_sort(Iterator first, Sentinel last, const Compare& compare = {}) {
  evencube::parallel_stable_sort(first, last, compare);
}

/// Like std::find_if, but in parallel. The rules of `parallel_find_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] Iterator find_if(Iterator first, Sentinel last, const Predicate& predicate) {
  return evencube::parallel_find_if(first, last, predicate);
}
/// Like std::any_of, but in parallel. The rules of `parallel_any_of` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] bool any_of(Iterator first, Sentinel last, const Predicate& predicate) {
  return evencube::parallel_any_of(first, last, predicate);
}
/// Like std::all_of, but in parallel. The rules of `parallel_all_of` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] bool all_of(Iterator first, Sentinel last, const Predicate& predicate) {
  return evencube::parallel_all_of(first, last, predicate);
}
/// Like std::none_of, but in parallel. The rules of `parallel_none_of` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] bool none_of(Iterator first, Sentinel last, const Predicate& predicate) {
  return evencube::parallel_none_of(first, last, predicate);
}
/// Like std::count_if, but in parallel. The rules of `parallel_count_if` apply.
template <std::random_access_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel,
          typename Predicate>
  requires rule::tells_of_an_element<Predicate, Iterator>
[[nodiscard]] std::iter_difference_t<Iterator> count_if(Iterator first, Sentinel last,
                                                        const Predicate& predicate) {
  return static_cast<std::iter_difference_t<Iterator>>(
      evencube::parallel_count_if(first, last, predicate));
}

/// Runs `for_each` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::for_each(std::forward<Arguments>(a)...); }
auto for_each(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::for_each(std::forward<Arguments>(arguments)...); });
}
/// Runs `transform` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::transform(std::forward<Arguments>(a)...); }
auto transform(Place& place, Arguments&&... arguments) {
  return detail::call_on(
      place, [&] { return evencube::transform(std::forward<Arguments>(arguments)...); });
}
/// Runs `copy` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::copy(std::forward<Arguments>(a)...); }
auto copy(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::copy(std::forward<Arguments>(arguments)...); });
}
/// Runs `fill` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::fill(std::forward<Arguments>(a)...); }
auto fill(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::fill(std::forward<Arguments>(arguments)...); });
}
/// Runs `transform_reduce` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::transform_reduce(std::forward<Arguments>(a)...); }
[[nodiscard]] auto transform_reduce(Place& place, Arguments&&... arguments) {
  return detail::call_on(
      place, [&] { return evencube::transform_reduce(std::forward<Arguments>(arguments)...); });
}
/// Runs `reduce` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::reduce(std::forward<Arguments>(a)...); }
[[nodiscard]] auto reduce(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::reduce(std::forward<Arguments>(arguments)...); });
}
/// Runs `inclusive_scan` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::inclusive_scan(std::forward<Arguments>(a)...); }
auto inclusive_scan(Place& place, Arguments&&... arguments) {
  return detail::call_on(
      place, [&] { return evencube::inclusive_scan(std::forward<Arguments>(arguments)...); });
}
/// Runs `exclusive_scan` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::exclusive_scan(std::forward<Arguments>(a)...); }
auto exclusive_scan(Place& place, Arguments&&... arguments) {
  return detail::call_on(
      place, [&] { return evencube::exclusive_scan(std::forward<Arguments>(arguments)...); });
}
/// Runs `sort` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::sort(std::forward<Arguments>(a)...); }
auto sort(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::sort(std::forward<Arguments>(arguments)...); });
}
/// Runs `stable_sort` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::stable_sort(std::forward<Arguments>(a)...); }
auto stable_sort(Place& place, Arguments&&... arguments) {
  return detail::call_on(
      place, [&] { return evencube::stable_sort(std::forward<Arguments>(arguments)...); });
}
/// Runs `find_if` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::find_if(std::forward<Arguments>(a)...); }
[[nodiscard]] auto find_if(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::find_if(std::forward<Arguments>(arguments)...); });
}
/// Runs `any_of` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::any_of(std::forward<Arguments>(a)...); }
[[nodiscard]] auto any_of(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::any_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `all_of` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::all_of(std::forward<Arguments>(a)...); }
[[nodiscard]] auto all_of(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::all_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `none_of` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::none_of(std::forward<Arguments>(a)...); }
[[nodiscard]] auto none_of(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::none_of(std::forward<Arguments>(arguments)...); });
}
/// Runs `count_if` in a runtime or an arena, from any thread.
template <rule::names_a_place Place, typename... Arguments>
  requires requires(Arguments&&... a) { evencube::count_if(std::forward<Arguments>(a)...); }
[[nodiscard]] auto count_if(Place& place, Arguments&&... arguments) {
  return detail::call_on(place,
                         [&] { return evencube::count_if(std::forward<Arguments>(arguments)...); });
}

}  // namespace evencube
