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

struct arena_options {
  /// How many workers may run tasks of the arena at the same moment. At least 1. More than the
  /// runtime has is allowed and is then no limit, so that a program which names a number runs on
  /// smaller machines, too.
  unsigned workers = 1;
};

namespace detail {

/// Calls call(context) in the arena, as `arena::run` does.
EVENCUBE_EXPORT void run_in_arena(all_workers& of, arena_core& in, void (*call)(void*),
                                  void* context, const run_options& how);

}  // namespace detail

/// A limit for a piece of work: at most so many workers of the runtime run its tasks at the same
/// moment. Any worker may be one of them, now this and now that: tasks move and are balanced as
/// elsewhere. A task that lacks a place waits in the arena, whichever worker came upon it, and that
/// worker goes on with other work.
///
/// A task is in the arena if `run` or `async` put it there, or if it was made by a task that is: by
/// forks, loops, groups, futures, continuations, coroutines that were started there. It is in the
/// innermost one only. What decides for a task of a group is where the group was made; for a
/// continuation, where `then` was called.
///
/// What counts is a worker that runs. While it sleeps in a wait, or its task blocks in a
/// `blocking_scope`, another one may have its place, and afterwards it goes on when it has one
/// again. So waits end as they do without arenas (runtime/src/arenas/arenas.md), and what a task
/// keeps while it waits is not limited by the arena: of things that are n in number and held during
/// waits there may be more holders than n.
///
/// The priority of a task counts until it has had to wait for a place: tasks that wait for one
/// begin in the order in which they came to wait.
///
/// All members may be called from any thread at once. It must not be destroyed before groups that
/// were made of it, or in it, nor while `run` is under way. Futures and coroutines that are left go
/// on, within its limit. It may outlive its runtime; then `run`, `async` and new groups of it throw
/// evencube::error.
class arena {
 public:
  /// Throws std::invalid_argument for no workers, std::bad_alloc.
  EVENCUBE_EXPORT explicit arena(runtime& of, arena_options options = {});
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  EVENCUBE_EXPORT ~arena();

  /// How many workers may run its tasks at the same moment.
  [[nodiscard]] EVENCUBE_EXPORT unsigned workers() const noexcept;

  /// Calls f() in the arena, and returns or throws what it does. A task of the runtime calls it at
  /// once if there is a place, or if it stands below a task of the arena on the same stack and so
  /// has one; else it waits until f has run as a task, on whatever worker, and runs nothing else
  /// meanwhile. From a thread outside as `runtime::run`, and throws as that. A group that the
  /// calling task has made outside cannot be waited for inside, since f may run elsewhere.
  template <rule::callable_in_place F>
  auto run(F&& f, const run_options& how = {}) -> detail::call_result_t<F> {
    using result = detail::call_result_t<F>;
    std::optional<detail::kept<result>> value;
    const auto call = [&] { value.emplace(detail::call_to_keep(f)); };
    detail::run_in_arena(
        its_runtime(), *core_, [](void* c) { (*static_cast<decltype(call)*>(c))(); },
        const_cast<void*>(static_cast<const void*>(&call)), how);
    return detail::give_back<result>(*value);
  }

  /// Queues f() as a task of its own in the arena, as `runtime::async` does. Throws as that.
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

  /// Throws evencube::error if it is gone.
  [[nodiscard]] EVENCUBE_EXPORT detail::all_workers& its_runtime() const;

  detail::all_workers* of_;
  detail::arena_core* core_;
  std::uint64_t runtime_id_ = 0;
};

}  // namespace evencube
