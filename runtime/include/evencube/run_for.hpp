#pragma once

#include <chrono>
#include <utility>

#include <evencube/detail/limited_run.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/task_group.hpp>
#include <evencube/where.hpp>

namespace evencube {

/// Calls `f(token)`, or `f()`, as a task in the runtime or arena that `where` names, and stops the
/// task when `time` has passed or a stop is requested through the token of `where`. No work is left
/// running: the call returns, or rethrows the exception of `f`, only when `f` and everything that
/// `f` waits for have ended.
///
/// When the time has passed, the task is stopped like a task of a stopped group: `token` reports a
/// stop request, `this_task::stop_requested` returns true inside `f`, and tasks of groups that `f`
/// created are dropped if they have not begun. `f` and tasks that have begun continue. So `f`
/// should check the token, or pass it to loops, and return early. If the time passes before `f` has
/// begun, `f` is not called. A `run_for` inside `f` also obeys this limit if `token` is passed to
/// it, as in `run_for(on(rt, token), ...)`.
///
/// If `f` returns nothing, the result says whether `f` was stopped. If `f` returns a value, the
/// result is a std::optional with this value; it is empty if `f` was stopped, even if `f` returned
/// afterwards. If `f` itself returns a wait_status or a std::optional, as loops with a token do,
/// that is the result. If `f` was not called, the result is `stopped` or empty.
///
/// An outside thread sleeps during the call, and `f` begins before other tasks of normal priority.
/// A call on a worker creates a thread that watches the time, because the worker may be busy with
/// `f`; this thread ends with the call. Throws std::system_error if the system cannot create the
/// thread, and whatever `task_group` throws.
template <rule::says_where Where, typename Rep, typename Period,
          rule::callable_with_a_token_or_nothing F>
[[nodiscard]] detail::limited_outcome_t<F> run_for(Where&& where,
                                                   const std::chrono::duration<Rep, Period>& time,
                                                   F&& f) {
  return detail::run_limited_where(where, detail::deadline_after(time), f);
}
/// Like `run_for`, but stops the task at `time`, a time point of any clock. The limit is the time
/// left when the call begins, even if the clock is adjusted later.
template <rule::says_where Where, typename Clock, typename Duration,
          rule::callable_with_a_token_or_nothing F>
[[nodiscard]] detail::limited_outcome_t<F> run_until(
    Where&& where, const std::chrono::time_point<Clock, Duration>& time, F&& f) {
  return detail::run_limited_where(where, detail::deadline_after(detail::time_until(time)), f);
}

}  // namespace evencube
