#pragma once

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/invoke.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace evencube {

/// The rules for functions that are given to the runtime. If one is broken, the compiler names it
/// first.
template <typename T>
class task;

namespace detail {

template <typename T>
inline constexpr bool is_coroutine_task = false;
template <typename T>
inline constexpr bool is_coroutine_task<evencube::task<T>> = true;

}  // namespace detail

namespace rule {

/// Calling a coroutine function only makes a task, which would never run here. Give the task to
/// `start(runtime, f())`, or to `spawn(group, f())`.
template <typename Result>
concept begins_no_coroutine = !detail::is_coroutine_task<std::remove_cvref_t<Result>>;

/// The function of a task is called without arguments.
template <typename F>
concept callable_without_arguments = requires(std::decay_t<F>& f) {
  f();
  requires begins_no_coroutine<decltype(f())>;
};

/// The function of a fork is called in place, without arguments.
template <typename F>
concept callable_in_place = requires(F& f) { f(); };

/// The task keeps its function, so the function can be moved or copied there.
template <typename F>
concept movable_into_a_task = std::constructible_from<std::decay_t<F>, F>;

/// The result of a task is kept until it is taken.
template <typename T>
concept keepable_result = std::is_void_v<T> || std::is_reference_v<T> || std::move_constructible<T>;

/// Loops count over integers of at most 64 bits.
template <typename First, typename Last>
concept integers_of_at_most_64_bits =
    std::integral<First> && std::integral<Last> && sizeof(First) <= 8 && sizeof(Last) <= 8;

/// The body of a loop takes the index.
template <typename Body, typename Index>
concept callable_with_the_index = requires(const Body& body, Index i) {
  body(i);
  requires begins_no_coroutine<decltype(body(i))>;
};

/// The body of a reduction returns a value of the type that is reduced.
template <typename Body, typename Index, typename Value>
concept gives_the_value = requires(const Body& body, Index i) {
  { body(i) } -> std::convertible_to<Value>;
};

/// A value that is replaced by the result of a combination, so it has no const members and no
/// references.
template <typename Value>
concept replaceable_by_a_sum = std::move_constructible<Value> && std::is_move_assignable_v<Value>;

/// The function combines two values into one. It may be a pointer to a member of the values.
template <typename Combine, typename Value>
concept combines_two_values =
    replaceable_by_a_sum<Value> && requires(const Combine& combine, Value a, Value b) {
      { detail::invoke(combine, std::move(a), std::move(b)) } -> std::convertible_to<Value>;
    };

}  // namespace rule

namespace detail {

/// The type that F returns; void if F cannot be called, so that the compiler reports the rule
/// above.
template <typename F>
struct call_result {
  using type = void;
};
template <rule::callable_in_place F>
struct call_result<F> {
  using type = decltype(std::declval<F&>()());
};
template <typename F>
using call_result_t = typename call_result<F>::type;

/// A function object that is copied by its bytes: a few numbers, references or pointers. An object
/// without members does not count: it has nothing to read, and it may be the base of the caller's
/// function object.
template <typename F>
concept as_good_copied =
    std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F> &&
    std::is_convertible_v<const F&, F> && !std::is_empty_v<F> && sizeof(F) <= 8 * sizeof(void*);

/// How a worker holds a function that it calls again and again: as a copy if that is as good. The
/// function cannot write to the captures of the copy, so these stay in registers.
template <typename F>
using local_copy_of = std::conditional_t<as_good_copied<F>, const F, const F&>;

/// Holds what a function made for a loop captures of the caller's objects; see local_copy_of.
template <typename T>
struct local {
  local_copy_of<T> it;
};

}  // namespace detail

}  // namespace evencube
