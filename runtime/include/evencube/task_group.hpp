#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/detail/block_pool.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/task_profile.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/priority.hpp>

namespace evencube {

class arena;
class runtime;

/// The options of one task that is spawned.
struct spawn_options {
  /// The number of quanta for which the task counts when loads are balanced, in [1, 65536]. With
  /// `runtime_options::measured_costs` it is a factor: how many times longer the task takes than a
  /// task of the same function with cost 1.
  std::uint32_t cost = 1;
  /// The preferred worker, to which the task is sent. If empty, the spawning worker keeps the task.
  /// This is a hint: a worker without work may take the task if the preferred worker is busy, and
  /// balancing may move it.
  std::optional<unsigned> home = std::nullopt;
  /// The priority, which decides whether the task begins before or after other tasks that wait for
  /// a worker. Tasks of high and low priority wait in two lists of the runtime, from which any
  /// worker takes them. So they have no `home`, and no load that balancing would see or move.
  evencube::priority priority = evencube::priority::normal;
  /// The name of the task in recordings; if null, the type of its function. The name is not copied
  /// before the recording ends, so it must be a literal or live as long.
  const char* name = nullptr;
};

namespace detail {

/// Returns memory for a task that is spawned by a thread which is not a worker of `workers`.
/// Returns no memory and no pool if none is available at the moment.
EVENCUBE_EXPORT pooled_block allocate_outside(all_workers& workers, std::size_t size_class);

/// The part of a spawned task that does not depend on its function.
struct spawned_task : task {
  /// The memory of the task is from `pool`; null means that it is from the heap.
  explicit spawned_task(block_pool* pool) noexcept
      : pool_and_hint_(reinterpret_cast<std::uintptr_t>(pool)) {}

  /// True if the memory is from `pool` and no cost was given.
  [[nodiscard]] bool plainly_from(const block_pool& pool) const noexcept {
    return pool_and_hint_ == reinterpret_cast<std::uintptr_t>(&pool);
  }
  [[nodiscard]] block_pool* pool() const noexcept {
    return reinterpret_cast<block_pool*>(pool_and_hint_ & ((slot_word{1} << cost_shift) - 1));
  }
  /// Returns the cost that the program gave. The task may count for another one.
  [[nodiscard]] std::uint32_t hint() const noexcept { return cost_of(pool_and_hint_); }
  void set_hint(std::uint32_t cost) noexcept {
    pool_and_hint_ |= slot_word{cost - 1} << cost_shift;
  }

 private:
  /// An address with a cost - 1 in the bits above it, as in a slot.
  slot_word pool_and_hint_;
};

/// A spawned task: its function and the pool of its memory.
template <typename F, typename Policy = std_policy>
struct spawned : spawned_task {
  using worker_type = basic_worker<Policy>;
  using group_type = basic_group<Policy>;

  template <typename G>
  spawned(G&& f, const group_type& group, block_pool* pool)
      : spawned_task(pool), function_(std::forward<G>(f)) {
    parent_ = &group;
    execute_ = &run;
  }

  /// Runs task `t` and, as long as the worker has nothing else to do, the tasks of the same
  /// function and group that were queued before it. The group is notified once, at the end of the
  /// series; until then it counts the task that runs as unfinished.
  static void run(task& t, runner& base) noexcept {
    auto& caller = static_cast<worker_type&>(base);
    const auto more = caller.series_under_way();
    auto& here = caller.innermost();
    auto* self = static_cast<spawned*>(&t);
    group_type& group = self->group();
    std::int64_t ended = 0;  // the number of tasks in the series so far
    if (stopped(group)) [[unlikely]] {
      destroy(*self, caller);
      group.finish_later(caller, caller.ended(), 1);
      return;
    }
    do {
      self->call(group);
      if (self->plainly_from(caller.memory().pool())) [[likely]] {
        self->~spawned();
        caller.memory().pool().release(self, size_class());
      } else {
        destroy(*self, caller);
      }
      ++ended;
      // No further task follows if anything is stopped.
      self = static_cast<spawned*>(caller.begin_next_of_series(more, here, group, &run));
    } while (self != nullptr);
    group.finish_later(caller, caller.ended(), ended);
  }

  /// Destroys a task and releases its memory, wherever the memory is from.
  [[gnu::noinline]] static void destroy(spawned& self, worker_type& caller) noexcept {
    block_pool* const pool = self.pool();
    self.~spawned();
    release(&self, pool, caller);
  }

  /// Runs a task whose memory is on the stack. The waiter may go on as soon as the function is
  /// destroyed.
  static void run_here(task& t, runner& base) noexcept {
    auto& caller = static_cast<worker_type&>(base);
    auto& self = static_cast<spawned&>(t);
    group_type& group = self.group();
    if (!stopped(group)) self.call(group);
    self.~spawned();
    group.finish(&caller);
  }

  /// True if the group is stopped; its tasks are then only destroyed, not called.
  static bool stopped(const group_type& group) noexcept {
    return Policy::stops().load(std::memory_order_relaxed) != 0 && group.stopped();
  }

  /// The group of the task. It is the parent, and was made non-const.
  [[nodiscard]] group_type& group() const noexcept {
    return const_cast<group_type&>(static_cast<const group_type&>(*parent_));
  }

  // Both callers are one call away from the loop that runs tasks. It must not become two.
  [[gnu::always_inline]] inline void call(group_type& group) noexcept {
    try {
      function_();
    } catch (...) {
      group.failure().keep();
    }
  }

  /// A function, because the size of the class is not known yet where its members are declared.
  static constexpr bool pooled() {
    return sizeof(spawned) <= block_pool::largest && alignof(spawned) <= 64;
  }
  static constexpr std::size_t size_class() { return block_pool::class_of(sizeof(spawned)); }
  /// Allocates memory for one task and returns it with its pool: the pool of the worker, the pool
  /// of outside threads, or none.
  static pooled_block acquire(worker* caller, all_workers& workers) {
    if constexpr (pooled()) {
      if (caller != nullptr)
        return {caller->memory().pool().allocate(size_class()), &caller->memory().pool()};
      const pooled_block outside = detail::allocate_outside(workers, size_class());
      if (outside.memory != nullptr) return outside;
    }
    return {::operator new(sizeof(spawned), std::align_val_t{alignof(spawned)}), nullptr};
  }
  static void release(void* memory, block_pool* pool, worker_type& caller) noexcept {
    if (pool != nullptr) {
      caller.memory().free_block(memory, size_class(), *pool);
    } else {
      ::operator delete(memory, std::align_val_t{alignof(spawned)});
    }
  }
  /// True if the task is small enough for the stack of the thread that spawns it.
  static constexpr bool fits_on_stack() { return sizeof(spawned) <= 4096; }
  /// Releases the memory that `acquire` returned.
  static void undo_acquire(const pooled_block& block) noexcept {
    if (block.from != nullptr) {
      block.from->take_back(size_class(), block.memory);
    } else {
      ::operator delete(block.memory, std::align_val_t{alignof(spawned)});
    }
  }

  [[no_unique_address]] F function_;
};

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

}  // namespace detail

/// How a wait for a group ended.
enum class wait_status {
  /// All tasks of the group have been called.
  completed,
  /// The group was stopped. Its tasks that had not begun were dropped, not called.
  stopped
};

namespace detail {
struct task_group_access;
}  // namespace detail

/// A set of tasks that can be waited for together. Make a group where you wait for it. A group made
/// inside a task must be waited for and destroyed by that task. A group made outside of tasks may
/// be used by any thread: several threads may spawn into it and wait for it at once. Tasks of a
/// group may spawn more tasks into it. A group that is empty, or was waited for, may outlive its
/// runtime; it then takes no more tasks.
class task_group {
 public:
  /// Makes a group of the runtime whose task calls. Its tasks run in the arena of the calling task,
  /// if there is one. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT task_group();
  /// Makes a group of `runtime`, inside or outside of its tasks. If the caller is a task in
  /// an arena, the group's tasks run in that arena.
  EVENCUBE_EXPORT explicit task_group(runtime& runtime);
  /// Makes a group whose tasks run in `arena` (<evencube/arena.hpp>). Throws evencube::error
  /// if the arena's runtime is gone.
  EVENCUBE_EXPORT explicit task_group(arena& arena);
  /// Makes a group of the runtime whose task calls, which stops when `token` requests a stop.
  /// `request_stop` stops this group alone. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT explicit task_group(std::stop_token token);
  /// Makes a group of `runtime`, which stops when `token` requests a stop. `request_stop`
  /// stops this group alone.
  EVENCUBE_EXPORT task_group(runtime& runtime, std::stop_token token);
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the tasks that are left and drops their exceptions. In a forked child it returns at
  /// once. The program ends if tasks are left that can never be waited for, because they would go
  /// on in memory that is gone. This happens if a group made by a task is destroyed by another
  /// thread than that task's, or if a thread destroys it that holds the runtime.
  EVENCUBE_EXPORT ~task_group();

  /// Queues `f()` as a task. Thread-safe within the rules of the class. If the calling task's
  /// worker has more than 65536 tasks queued, a new task of normal priority runs at once, so that
  /// memory stays bounded. So do not spawn a task that needs a lock that you hold. Tasks of high or
  /// low priority are always queued. Throws std::invalid_argument for a cost or a home out of
  /// range, and for a home together with a high or low priority. Throws std::bad_alloc if memory
  /// runs out. The group is then unchanged.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F>
  void spawn(F&& f, const spawn_options& options = {}) {
    detail::spawn_into(core_, std::forward<F>(f), options);
  }

  /// Spawns the coroutine `body` as a task of the group, as the function `spawn` of
  /// <evencube/coroutine.hpp> does, which this needs.
  template <typename T>
  void spawn(task<T> body, const spawn_options& options = {});

  /// Waits until every task of the group has ended. Returns whether the group was stopped, or
  /// throws the first exception of a task. The other exceptions are dropped; if several threads
  /// wait at once, one of them gets the exception. A worker that waits runs tasks of this group and
  /// what they spawn, nothing else. The group may be used again afterwards.
  ///
  /// The result is not [[nodiscard]], because it is always `completed` for a group that is never
  /// stopped.
  /// Throws evencube::error if a task of another worker made the group, and in a forked child.
  /// Throws it also if tasks are left and the calling thread holds the runtime, or the runtime is
  /// gone.
  EVENCUBE_EXPORT wait_status wait();

  /// Waits like `wait`, but at most for `time`. Returns nothing if tasks of the group are left by
  /// then. The group goes on, keeps its exceptions for the wait that sees its end, and may be
  /// waited for again; `request_stop` ends it early. A worker that has begun a task meanwhile
  /// finishes it first, and one that slept while its own task is in an arena also waits for a place
  /// there, so the call may return later. With a time of zero or less, the call only checks the
  /// group and begins nothing. Throws as `wait` does.
  template <typename Rep, typename Period>
  [[nodiscard]] std::optional<wait_status> wait_for(
      const std::chrono::duration<Rep, Period>& time) {
    return wait_limited(detail::deadline_after(time));
  }
  /// Waits like `wait_for`, but until `time`, a time point of any clock.
  template <typename Clock, typename Duration>
  [[nodiscard]] std::optional<wait_status> wait_until(
      const std::chrono::time_point<Clock, Duration>& time) {
    if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
      return wait_limited(detail::deadline_at(time));
    } else {
      // The clock may have been set back meanwhile.
      do {
        if (const auto ended = wait_for(detail::time_until(time))) return ended;
      } while (detail::time_until(time).count() > 0);
      return std::nullopt;
    }
  }

  /// Stops the group for good. No task of the group begins from now on, and no task of groups that
  /// its tasks make in the same runtime. Tasks that have begun go on; they may ask
  /// `this_task::stop_requested`. The functions of the other tasks are destroyed by the workers
  /// that meet them, and then the group's wait ends. Loops and forks of a running task are part of
  /// it and run to their end. Any thread may call this at any time. It never waits.
  EVENCUBE_EXPORT void request_stop() noexcept;
  /// Returns true if this group was stopped, or a group to which a task above it belongs.
  [[nodiscard]] bool stop_requested() const noexcept {
    return core_.owner() != nullptr ? core_.stopped() : stop_requested_outside();
  }

  /// Returns a token that reports when this group is stopped by `request_stop` or by its own token.
  /// The group's tasks can pass it to a wait for a condition, a graph or another library. The token
  /// may outlive the group. A callback registered with it runs on the thread that stops the group,
  /// before `request_stop` returns, and must not throw. For a stop of a group above, or of the
  /// runtime, the token reports only the state of `stop_requested` at the time of this call; code
  /// inside tasks should ask `this_task::stop_requested`. Any thread that may spawn into the group
  /// may call this. The first call allocates, later ones do not. Throws std::bad_alloc.
  [[nodiscard]] EVENCUBE_EXPORT std::stop_token stop_token();

 private:
  friend struct detail::task_group_access;

  struct stopper {
    task_group* group;
    void operator()() const noexcept { group->request_stop(); }
  };

  void take_number();
  bool wait_outside(std::int64_t deadline_ns);
  EVENCUBE_EXPORT std::optional<wait_status> wait_limited(std::int64_t deadline_ns);
  wait_status outcome();
  [[nodiscard]] EVENCUBE_EXPORT bool stop_requested_outside() const noexcept;

  detail::group_core core_;
  /// The number of the runtime if the group was made outside of its tasks, because such a group may
  /// outlive the runtime.
  std::uint64_t runtime_id_;
  std::optional<std::stop_callback<stopper>> on_stop_;
  /// The address of the std::stop_source of `stop_token`, after its first call. The lowest bit is
  /// set once `request_stop` was called.
  std::atomic<std::uintptr_t> handed_out_{0};
};

namespace detail {

struct task_group_access {
  /// Makes a group from which no token was requested as if it had not been stopped. Any thread may
  /// call this after a wait for the group.
  EVENCUBE_EXPORT static void withdraw_stop(task_group& group) noexcept;
};

}  // namespace detail

}  // namespace evencube
