#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/spawned_task.hpp>
#include <evencube/detail/task_label.hpp>
#include <evencube/detail/task_profile.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/priority.hpp>
#include <evencube/spawn_options.hpp>

namespace evencube {

class runtime;
class task_group;

namespace detail {

// Does not take the options, because their address would have to be made for every spawn.
EVENCUBE_EXPORT void spawn_from_outside(all_workers& workers, slot_word word,
                                        std::optional<unsigned> preferred, task_label label);
/// Queues a task that is not of normal priority, from any thread.
EVENCUBE_EXPORT void spawn_with_priority(all_workers& workers, slot_word word, priority level,
                                         task_label label);
/// Throws std::invalid_argument for a cost, a worker or a priority out of range.
EVENCUBE_EXPORT void check_spawn_options(const all_workers& workers, const spawn_options& options);
/// Throws std::invalid_argument for a value that is not a priority.
EVENCUBE_EXPORT void check_priority(priority level);
/// The calling thread's worker if it belongs to `workers`, otherwise null.
inline worker* worker_of(const all_workers& workers) noexcept {
  worker* const w = current_worker;
  return w != nullptr && &w->workers() == &workers ? w : nullptr;
}
EVENCUBE_EXPORT all_workers& current_workers(const char* what);
EVENCUBE_EXPORT all_workers& workers_of(runtime& runtime);

/// Runs f() as a task of the group that was never queued. The function is not inline, because its
/// place would be in the frame of every spawn, used or not.
template <typename F, typename G>
[[gnu::noinline]] void run_on_stack(worker& caller, group_core& group, G&& f, task_label label) {
  alignas(spawned<F>) std::byte here[sizeof(spawned<F>)];
  auto* const made = ::new (here) spawned<F>(std::forward<G>(f), group, nullptr);
  made->execute_ = &spawned<F>::run_here;
  group.add(&caller);
  caller.run_at_once(*made, label, [&] { spawned<F>::run_here(*made, caller); });
}

/// True if worker `caller`, which spawns into the group, should run the task instead of queueing
/// it. A group of another arena may lack a place, and a task on this stack cannot wait for one.
inline bool had_better_run(const worker& caller, const group_core& group) noexcept {
  return caller.backlog_full() && (group.arena() == nullptr || group.arena() == caller.arena());
}

/// Spawns a task by the group's owner in the common case, where no check is needed. Returns false
/// in every other case. Also returns false if copying the function might spawn, because the checks
/// would then be outdated.
template <typename F>
bool spawn_quickly(group_core& group, const F& f, const task_label& label) {
  using spawned_type = spawned<F>;
  if constexpr (std::is_trivially_copy_constructible_v<F> &&
                std::is_trivially_move_constructible_v<F> && spawned_type::pooled()) {
    worker* const caller = current_worker;
    if (caller == nullptr || caller != group.quick()) return false;
    if (caller->queue().quiet()) [[likely]] {
      void* const memory = caller->memory().pool().allocate(spawned_type::size_class());
      auto* const made = ::new (memory) spawned_type(f, group, &caller->memory().pool());
      group.count().add_by_owner(1);
      caller->queue().push(detail::make_slot(made, 1));
      return true;
    }
    if (detail::had_better_run(*caller, group)) {
      detail::run_on_stack<F>(*caller, group, f, label);
      return true;
    }
  }
  return false;
}

template <typename F>
void spawn_into(group_core& group, F&& f, const spawn_options& options) {
  using spawned_type = spawned<std::decay_t<F>>;
  if (options.cost == 1 && !options.home && options.priority == priority::normal &&
      detail::spawn_quickly<std::decay_t<F>>(
          group, f, {options.name, detail::type_of_function<std::decay_t<F>>()})) {
    return;
  }
  constexpr const std::type_info* type = detail::type_of_function<std::decay_t<F>>();
  all_workers& workers = group.its_runtime();
  worker* const caller = detail::worker_of(workers);
  const bool normal = options.priority == priority::normal;
  if (options.cost != 1 || options.home || !normal) detail::check_spawn_options(workers, options);
  const bool at_once =
      caller != nullptr && !options.home && normal && detail::had_better_run(*caller, group);
  if constexpr (spawned_type::fits_on_stack()) {
    if (at_once) [[unlikely]] {
      detail::run_on_stack<std::decay_t<F>>(*caller, group, std::forward<F>(f),
                                            {options.name, type});
      return;
    }
  }
  const pooled_block block = spawned_type::acquire(caller, workers);
  spawned_type* made = nullptr;
  try {
    made = ::new (block.memory) spawned_type(std::forward<F>(f), group, block.from);
  } catch (...) {
    spawned_type::undo_acquire(block);
    throw;
  }
  group.add(caller);
  if constexpr (!spawned_type::fits_on_stack()) {
    if (at_once) [[unlikely]] {
      caller->run_at_once(detail::make_slot(made, 1), {options.name, type});
      return;
    }
  }
  try {
    std::uint32_t cost = options.cost;
    if (cost != 1) made->set_hint(cost);
    if (caller != nullptr && caller->measures_costs())
      cost = detail::cost_of_new<spawned_type>(cost, type);
    const slot_word word = detail::make_slot(made, cost);
    if (!normal) {
      detail::spawn_with_priority(workers, word, options.priority, {options.name, type});
    } else if (caller == nullptr) {
      detail::spawn_from_outside(workers, word, options.home, {options.name, type});
    } else if (cost == 1 && (!options.home || *options.home == caller->index())) [[likely]] {
      caller->push(word, options.name, type);
    } else {
      caller->spawn(word, options.home, {options.name, type});
    }
  } catch (...) {
    made->~spawned_type();
    spawned_type::undo_acquire(block);
    group.finish(caller);
    throw;
  }
}

struct task_group_access {
  /// Makes a group from which no token was requested as if it had not been stopped. Any thread may
  /// call this after a wait for the group.
  EVENCUBE_EXPORT static void withdraw_stop(task_group& group) noexcept;
};

}  // namespace detail

}  // namespace evencube
