#pragma once

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/engine_fwd.hpp>

namespace evencube {

namespace detail {
/// Whether the calling thread is a worker of this one, or was before it began to block.
EVENCUBE_EXPORT bool is_inside(const all_workers& of) noexcept;
EVENCUBE_EXPORT bool stop_requested_while_blocking() noexcept;
/// The worker of that runtime in whose blocking scope the calling thread is, or null.
worker* worker_that_blocks(const all_workers& of) noexcept;
/// The worker that the calling thread is, or was before it began to block; null outside.
worker* worker_even_if_blocking() noexcept;
}  // namespace detail

/// While it lives the task that made it is going to block: on input, on a lock of the program's, on
/// a sleep, on whatever the runtime does not know. Its worker then lends its place to a spare one
/// (`runtime_options::spare_workers`), which takes tasks meanwhile: from outside, of the worker's
/// own queue, of others. At the end the task goes on at once, and the spare worker parks when the
/// task that it runs has ended; so no more than workers() threads run tasks outside of such scopes
/// for longer than one task each. Where no spare worker is left the scope just blocks; other
/// workers can take what is queued there all the same.
///
/// Inside, the thread is no worker: what it spawns comes from outside, what it waits for it waits
/// for as a thread outside does, without running anything. So groups that the task has made cannot
/// be waited for, and there is no `fork_join`; `this_task` says so, but for `stop_requested`. Nor
/// may it hold or stop the runtime. Made by a thread that is no worker, or within another one, it
/// does nothing. A `hold()` does not wait for it: it ends when the hold does.
///
/// It belongs to the thread, so it must not live across a `co_await`: the coroutine may go on on
/// another one. Who awaits a future in it gets an evencube::error; for other awaits a library built
/// with assertions ends the program where the scope ends on another thread.
///
/// That what the task blocks for comes to pass is the program's to see to: tasks that it needs are
/// begun as long as some worker or spare one neither blocks nor waits
/// (runtime/src/life/blocking.md).
///
/// Costs a microsecond or so, and the wake-up of a thread. Never throws.
class [[nodiscard]] blocking_scope {
 public:
  EVENCUBE_EXPORT blocking_scope() noexcept;
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;
  /// On the thread that made it, before anything that was made before it ends.
  EVENCUBE_EXPORT ~blocking_scope();

 private:
  friend detail::worker* detail::worker_that_blocks(const detail::all_workers& of) noexcept;
  friend bool detail::stop_requested_while_blocking() noexcept;
  friend detail::worker* detail::worker_even_if_blocking() noexcept;

  /// Null: it does nothing.
  detail::worker* const was_;
  bool was_busy_ = false;
  blocking_scope* outer_ = nullptr;
};

/// Calls f() in such a scope; returns or throws what it does.
template <rule::callable_in_place F>
decltype(auto) blocking(F&& f) {
  const blocking_scope here;
  return f();
}

}  // namespace evencube
