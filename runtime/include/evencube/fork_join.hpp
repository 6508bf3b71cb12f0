#pragma once

#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/fork.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube {

/// Calls `f` and `g`, possibly in parallel. The calling worker offers `g` to other workers and runs
/// `f`. If no worker has taken `g`, the caller calls `g` afterwards. Returns when both functions
/// have returned. The result is a pair of their results, or nothing if both return void. In the
/// pair, a void result is a `std::monostate`, and a reference stays a reference. (The reference
/// must not refer to a part of a temporary function object, which no longer exists when `fork_join`
/// returns.)
///
/// A fork allocates nothing, because the offered half lives on the caller's stack. While the caller
/// waits for a `g` that another worker has taken, it runs only tasks that `g` itself forks or
/// spawns.
///
/// If `f` throws, `g` may never be called, and an exception that `g` throws is lost. If only `g`
/// throws, its exception is rethrown. Both calls have ended before `fork_join` throws. Throws
/// evencube::error outside of a runtime's tasks, and in a child process that `f` forked while
/// another worker was running `g`.
template <rule::callable_in_place F, rule::callable_in_place G>
auto fork_join(F&& f, G&& g) {
  using detail::worker;
  worker* const caller = detail::current_worker;
  if (caller == nullptr) [[unlikely]] {
    detail::throw_outside("fork_join");
  }
  detail::forked<G> right{std::forward<G>(g)};
  caller->push(detail::lazy_slot(&right), nullptr,
               detail::type_of_function<std::remove_cvref_t<G>>());
  using left_type = decltype(detail::call_for_value(f));
  using pair = std::pair<left_type, typename detail::forked<G>::result>;
  left_type left_result = [&]() -> left_type {
    try {
      return detail::call_for_value(f);
    } catch (...) {
      detail::abandon(right);
      throw;
    }
  }();
  constexpr bool all_void = std::is_void_v<decltype(f())> && std::is_void_v<decltype(g())>;
  if (detail::take_back(right)) [[likely]] {
    if constexpr (all_void) {
      right.function_();
    } else {
      return pair{static_cast<left_type&&>(left_result), detail::call_for_value(right.function_)};
    }
  } else {
    if constexpr (all_void) {
      right.collect();
    } else {
      return pair{static_cast<left_type&&>(left_result), right.collect()};
    }
  }
}

}  // namespace evencube
