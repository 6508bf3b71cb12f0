#pragma once

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/engine_fwd.hpp>

namespace evencube {

namespace detail {
/// True if the calling thread is a worker of `workers`, or was a worker before it began to block.
EVENCUBE_EXPORT bool is_inside(const all_workers& workers) noexcept;
/// Like `this_task::stop_requested`, for the task in whose blocking scope the calling thread is;
/// false outside of such scopes.
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
/// The worker of `workers` in whose blocking scope the calling thread is, or null.
worker* worker_that_blocks(const all_workers& workers) noexcept;
/// The worker of the calling thread, even while the thread blocks; null for outside threads.
worker* worker_even_if_blocking() noexcept;
}  // namespace detail

/// While this object lives, the task that made it may block: on input, a lock of the program, a
/// sleep, or anything else that the runtime does not know. The task's worker lends its place to a
/// spare worker (`runtime_options::spare_workers`). The spare worker takes tasks from outside
/// threads, from the queue of that worker and from other workers. At the end of the scope the task
/// continues immediately, and the spare worker parks when its current task has ended. Until then,
/// more than `workers()` threads may run tasks outside of such scopes. If no spare worker is left,
/// the task's worker just blocks; other workers can still take the tasks in its queue.
///
/// Inside the scope the thread is not a worker. Tasks that the thread spawns count as spawned from
/// outside. The thread waits like an outside thread, without running tasks. So groups that the task
/// has made cannot be waited for, and `fork_join` throws. The functions of `this_task`, except
/// `stop_requested`, report that the thread is outside. The thread must not hold or stop the
/// runtime. A scope does nothing if a thread that is not a worker makes it, or if it is within
/// another scope. `runtime::hold` does not wait for a scope; a scope that ends during a hold waits
/// for the end of the hold.
///
/// A scope belongs to its thread, so it must not live across a `co_await`, after which the
/// coroutine may be on another thread. An await of a future in a scope throws evencube::error. For
/// other awaits, a library built with assertions ends the program if the scope ends on another
/// thread.
///
/// The program must ensure that the event for which the task blocks happens. Tasks needed for this
/// event begin as long as some worker, or spare worker, neither blocks nor waits
/// (runtime/src/life/blocking.md).
///
/// A scope costs about a microsecond, and the wake-up of a thread. It never throws.
class [[nodiscard]] blocking_scope {
 public:
  /// Begins a scope for the calling task.
  EVENCUBE_EXPORT blocking_scope() noexcept;
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;
  /// Ends the scope. Call it on the thread that made the scope, in reverse order of creation.
  EVENCUBE_EXPORT ~blocking_scope();

 private:
  friend detail::worker* detail::worker_that_blocks(const detail::all_workers& workers) noexcept;
  friend bool detail::stop_requested_while_blocking() noexcept;
  friend detail::worker* detail::worker_even_if_blocking() noexcept;

  /// The worker of the task; null if the scope does nothing.
  detail::worker* const was_;
  bool was_busy_ = false;
  blocking_scope* outer_ = nullptr;
};

/// Calls f() in a `blocking_scope`, and returns its result or throws its exception.
template <rule::callable_in_place F>
decltype(auto) blocking(F&& f) {
  const blocking_scope here;
  return f();
}

}  // namespace evencube
