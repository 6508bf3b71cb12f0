#pragma once

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/engine_fwd.hpp>

namespace evencube {

namespace detail {
/// True if the calling thread is a worker of `workers`, or was a worker before it began to block.
EVENCUBE_EXPORT bool is_inside(const all_workers& workers) noexcept;
/// Like `this_task::stop_requested`, for the task whose blocking scope the calling thread is in;
/// false outside of such scopes.
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
/// If the calling thread is in a blocking scope of a worker of `workers`, that worker; otherwise
/// null.
worker* worker_that_blocks(const all_workers& workers) noexcept;
/// The worker of the calling thread, even while the thread blocks; null for outside threads.
worker* worker_even_if_blocking() noexcept;
}  // namespace detail

/// While this object lives, the task that created it may block: on input, a lock of the program, a
/// sleep, or anything else that the runtime does not know about. The task's worker lends its place
/// to a spare worker (`runtime_options::spare_workers`), which takes tasks from outside threads,
/// from that worker's queue and from other workers. At the end of the scope the task continues
/// immediately, and the spare worker parks when its current task has ended. Until then, more than
/// `workers()` threads may be running tasks outside of such scopes. If no spare worker is
/// available, the task's worker just blocks; other workers can still take the tasks in its queue.
///
/// Inside the scope the thread is not a worker. Tasks that the thread spawns count as spawned from
/// outside. The thread waits like an outside thread, without running tasks. So groups that the task
/// has created cannot be waited for, and `fork_join` throws. The functions of `this_task`, except
/// `stop_requested`, treat the thread as an outside thread. The thread must not hold or stop the
/// runtime. A scope does nothing if it is created on a thread that is not a worker, or inside
/// another scope. `runtime::hold` does not wait for a scope to end; a scope that ends during a hold
/// waits for the hold to end.
///
/// A scope belongs to its thread, so it must not live across a `co_await`, because the coroutine
/// may resume on another thread. Awaiting a future in a scope throws evencube::error. With other
/// awaits, a library built with assertions terminates the program if the scope ends on another
/// thread.
///
/// The program must ensure that the event for which the task blocks will happen. Tasks needed for
/// this event begin as long as at least one worker or spare worker neither blocks nor waits
/// (runtime/src/life/blocking.md).
///
/// A scope costs about a microsecond plus a thread wake-up. It never throws.
class [[nodiscard]] blocking_scope {
 public:
  /// Begins a scope for the calling task.
  EVENCUBE_EXPORT blocking_scope() noexcept;
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;
  /// Ends the scope. Must be called on the thread that created the scope, in reverse order of
  /// creation.
  EVENCUBE_EXPORT ~blocking_scope();

 private:
  friend detail::worker* detail::worker_that_blocks(const detail::all_workers& workers) noexcept;
  friend bool detail::stop_requested_while_blocking() noexcept;
  friend detail::worker* detail::worker_even_if_blocking() noexcept;

  /// The task's worker; null if the scope does nothing.
  detail::worker* const was_;
  bool was_busy_ = false;
  blocking_scope* outer_ = nullptr;
};

/// Calls f() in a `blocking_scope`, and returns its result or rethrows its exception.
template <rule::callable_in_place F>
decltype(auto) blocking(F&& f) {
  const blocking_scope here;
  return f();
}

}  // namespace evencube
