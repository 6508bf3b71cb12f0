#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/engine_fwd.hpp>
#include <evencube/future.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// The options of an arena.
struct arena_options {
  /// The maximum number of workers that may run the arena's tasks at the same time; at least 1. A
  /// value above the runtime's number of workers limits nothing, so a program with a fixed value
  /// also runs on smaller machines.
  unsigned workers = 1;
};

namespace detail {

/// Calls call(context) in the arena, like `arena::run`.
EVENCUBE_EXPORT void run_in_arena(all_workers& workers, arena_core& arena, void (*call)(void*),
                                  void* context, const run_options& options);

}  // namespace detail

/// A limit on parallelism: at most `arena_options::workers` workers of the runtime run the arena's
/// tasks at the same time. These need not always be the same workers, because tasks move and are
/// balanced as usual. If no place is free for a task, the task waits in the arena, and the worker
/// that found it does other work.
///
/// A task belongs to the arena if `run` or `async` put it there, or if a task of the arena created
/// it through a fork, loop, group, future, continuation or coroutine. A task belongs to only one
/// arena, the innermost. A group's tasks belong to the arena in which the group was created. A
/// continuation belongs to the arena in which `then` was called.
///
/// Only running workers count towards the limit. While a worker sleeps in a wait, or its task
/// blocks in a `blocking_scope`, another worker may take its place. Afterwards the first worker
/// continues once it has a place again. So an arena never keeps a wait from ending
/// (runtime/src/arenas/arenas.md). The arena does not limit the number of waiting tasks, so more
/// than `workers` tasks may hold resources while they wait.
///
/// A task's priority has no effect while the task waits for a place. Tasks that wait for a place
/// begin in the order of their arrival.
///
/// All members may be called concurrently from any thread. The arena must outlive all groups that
/// were created with it or in its tasks, and must not be destroyed while `run` is in progress.
/// Unfinished futures and coroutines may outlive the arena; its limit still applies to them. The
/// arena may outlive its runtime; `run`, `async` and the creation of groups with it then throw
/// evencube::error.
class arena {
 public:
  /// Creates an arena in `runtime`. Throws std::invalid_argument if `options.workers` is 0, and
  /// std::bad_alloc.
  EVENCUBE_EXPORT explicit arena(runtime& runtime, arena_options options = {});
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  EVENCUBE_EXPORT ~arena();

  /// Returns the maximum number of workers that may run the arena's tasks at the same time.
  [[nodiscard]] EVENCUBE_EXPORT unsigned workers() const noexcept;

  /// Calls f() in the arena, and returns its result or rethrows its exception. A task of the
  /// runtime calls f immediately if a place is free, or if the task already has a place because a
  /// task of the arena is below it on the same stack. Otherwise the caller waits until f has run as
  /// a task on any worker, and runs nothing else meanwhile. On an outside thread, the call behaves
  /// like `runtime::run` and throws the same exceptions. Inside f, a group that the calling task
  /// created earlier cannot be waited for, because f may run on another worker.
  template <rule::callable_in_place F>
  auto run(F&& f, const run_options& options = {}) -> detail::call_result_t<F> {
    using result = detail::call_result_t<F>;
    std::optional<detail::kept<result>> value;
    const auto call = [&] { value.emplace(detail::call_to_keep(f)); };
    detail::run_in_arena(
        its_runtime(), *core_, [](void* c) { (*static_cast<decltype(call)*>(c))(); },
        const_cast<void*>(static_cast<const void*>(&call)), options);
    return detail::give_back<result>(*value);
  }

  /// Queues f() as a task of the arena and returns a future for its result, like `runtime::async`.
  /// Throws the same exceptions as `runtime::async`, and evencube::error if the runtime no longer
  /// exists.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F> &&
             rule::keepable_result<detail::call_result_t<std::decay_t<F>>>
  auto async(F&& f, const spawn_options& options = {})
      -> future<detail::call_result_t<std::decay_t<F>>> {
    return detail::make_future<detail::call_result_t<std::decay_t<F>>>(
        its_runtime(), std::forward<F>(f), options, core_);
  }

 private:
  friend class task_group;

  /// Returns the arena's runtime. Throws evencube::error if it no longer exists.
  [[nodiscard]] EVENCUBE_EXPORT detail::all_workers& its_runtime() const;

  detail::all_workers* workers_;
  detail::arena_core* core_;
  std::uint64_t runtime_id_ = 0;
};

}  // namespace evencube
