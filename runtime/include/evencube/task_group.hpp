#pragma once

#include <atomic>
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
#include <evencube/priority.hpp>

namespace evencube {

class arena;
class runtime;

struct spawn_options {
  /// How many quanta of work the task counts for when loads are balanced; where costs are measured
  /// (`runtime_options::measured_costs`), how many times as long as one of 1 of the same function
  /// it takes. In [1, 65536].
  std::uint32_t cost = 1;
  /// The preferred worker, to which the task is sent; if none, the spawning worker keeps it.
  /// A hint: a worker without work may take it if the preferred one is busy, and balancing may move
  /// it on.
  std::optional<unsigned> home = std::nullopt;
  /// Whether it begins before or after others that wait for a worker. Those of high and of low
  /// priority wait in two lists of the runtime, from which any worker takes them: so they have no
  /// `home`, and no load that balancing would see or move.
  evencube::priority priority = evencube::priority::normal;
  /// What the task is called in recordings; null: the type of its function. Not copied before the
  /// recording ends: a literal, or what lives as long.
  const char* name = nullptr;
};

namespace detail {

/// Memory for a task that is spawned by a thread which is no worker of `of`; nothing, with no pool,
/// if there is none at the moment.
EVENCUBE_EXPORT pooled_block allocate_outside(all_workers& of, std::size_t size_class);

/// What a spawned task knows besides its function.
struct spawned_task : task {
  /// Memory from `pool`; null: from the heap.
  explicit spawned_task(block_pool* pool) noexcept
      : pool_and_hint_(reinterpret_cast<std::uintptr_t>(pool)) {}

  /// Whether it is from that pool, and nothing was said of its cost.
  [[nodiscard]] bool plainly_from(const block_pool& of) const noexcept {
    return pool_and_hint_ == reinterpret_cast<std::uintptr_t>(&of);
  }
  [[nodiscard]] block_pool* pool() const noexcept {
    return reinterpret_cast<block_pool*>(pool_and_hint_ & ((slot_word{1} << cost_shift) - 1));
  }
  /// What its maker said that it costs, which need not be what it counts for.
  [[nodiscard]] std::uint32_t hint() const noexcept { return cost_of(pool_and_hint_); }
  void set_hint(std::uint32_t cost) noexcept {
    pool_and_hint_ |= slot_word{cost - 1} << cost_shift;
  }

 private:
  /// As in a slot: an address, and above it a cost - 1.
  slot_word pool_and_hint_;
};

/// A spawned task: its function and where its memory came from.
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

  /// This one and, as long as nothing else is to be done, those of the same function and group that
  /// were queued before it: the group learns of all in the end, for meanwhile it has the one that
  /// runs.
  static void run(task& t, worker& on) noexcept {
    // A worker of this policy comes, whatever the pointer's type says.
    auto& by = reinterpret_cast<worker_type&>(on);
    const auto more = by.series_under_way();
    auto& here = by.innermost();
    auto* self = static_cast<spawned*>(&t);
    group_type& group = self->group();
    std::int64_t ended = 0;  // as long as the series is
    if (stopped(group)) [[unlikely]] {
      destroy(*self, by);
      group.finish_later(by, 1);
      return;
    }
    do {
      self->call(group);
      if (self->plainly_from(by.memory().pool())) [[likely]] {
        self->~spawned();
        by.memory().pool().release(self, size_class());
      } else {
        destroy(*self, by);
      }
      ++ended;
      // None follows if anything is stopped.
      self = static_cast<spawned*>(by.begin_next_of_series(more, here, group, &run));
    } while (self != nullptr);
    group.finish_later(by, ended);
  }

  /// Wherever its memory is from.
  [[gnu::noinline]] static void destroy(spawned& self, worker_type& by) noexcept {
    block_pool* const pool = self.pool();
    self.~spawned();
    release(&self, pool, by);
  }

  /// For one that stands on the stack: whoever waits may go on when its function is destroyed.
  static void run_here(task& t, worker& on) noexcept {
    auto& by = reinterpret_cast<worker_type&>(on);
    auto& self = static_cast<spawned&>(t);
    group_type& group = self.group();
    if (!stopped(group)) self.call(group);
    self.~spawned();
    group.finish(&by);
  }

  /// Then only its function is destroyed.
  static bool stopped(const group_type& group) noexcept {
    return Policy::stops().load(std::memory_order_relaxed) != 0 && group.stopped();
  }

  /// The group is the parent and was made non-const.
  [[nodiscard]] group_type& group() const noexcept {
    return const_cast<group_type&>(static_cast<const group_type&>(*parent_));
  }

  // Both callers are one call away from the loop that runs tasks: not one more.
  [[gnu::always_inline]] inline void call(group_type& group) noexcept {
    try {
      function_();
    } catch (...) {
      group.failure().keep();
    }
  }

  /// A function: the size of the class is not known yet where its members are declared.
  static constexpr bool pooled() {
    return sizeof(spawned) <= block_pool::largest && alignof(spawned) <= 64;
  }
  static constexpr std::size_t size_class() { return block_pool::class_of(sizeof(spawned)); }
  /// Memory for one, and the pool it is from: the worker's, one of threads outside, or none.
  static pooled_block acquire(worker* by, all_workers& of) {
    if constexpr (pooled()) {
      if (by != nullptr) return {by->memory().pool().allocate(size_class()), &by->memory().pool()};
      const pooled_block outside = detail::allocate_outside(of, size_class());
      if (outside.memory != nullptr) return outside;
    }
    return {::operator new(sizeof(spawned), std::align_val_t{alignof(spawned)}), nullptr};
  }
  static void release(void* memory, block_pool* pool, worker_type& by) noexcept {
    if (pool != nullptr) {
      by.memory().free_block(memory, size_class(), *pool);
    } else {
      ::operator delete(memory, std::align_val_t{alignof(spawned)});
    }
  }
  /// Small enough to stand on the stack of whoever spawns it.
  static constexpr bool fits_on_stack() { return sizeof(spawned) <= 4096; }
  /// Gives back what `acquire` gave.
  static void undo_acquire(const pooled_block& block) noexcept {
    if (block.from != nullptr) {
      block.from->take_back(size_class(), block.memory);
    } else {
      ::operator delete(block.memory, std::align_val_t{alignof(spawned)});
    }
  }

  [[no_unique_address]] F function_;
};

// Not the options: their address would have to be made for every spawn.
EVENCUBE_EXPORT void spawn_from_outside(all_workers& of, slot_word word,
                                        std::optional<unsigned> preferred, task_label label);
/// Queues a task that is not of normal priority, from whatever thread.
EVENCUBE_EXPORT void spawn_with_priority(all_workers& of, slot_word word, priority level,
                                         task_label label);
/// Throws std::invalid_argument for a cost, a worker or a priority out of range.
EVENCUBE_EXPORT void check_spawn_options(const all_workers& of, const spawn_options& options);
/// Throws std::invalid_argument for a value that is no priority.
EVENCUBE_EXPORT void check_priority(priority level);
/// The calling thread's worker if it belongs to `of`, else null.
inline worker* worker_of(const all_workers& of) noexcept {
  worker* const w = current_worker;
  return w != nullptr && &w->workers() == &of ? w : nullptr;
}
EVENCUBE_EXPORT all_workers& current_workers(const char* what);
EVENCUBE_EXPORT all_workers& workers_of(runtime& of);

/// Runs f() as a task of the group that was never queued. Not inline: its place would be in the
/// frame of every spawn, used or not.
template <typename F, typename G>
[[gnu::noinline]] void run_on_stack(worker& by, group_core& group, G&& f, task_label label) {
  alignas(spawned<F>) std::byte here[sizeof(spawned<F>)];
  auto* const made = ::new (here) spawned<F>(std::forward<G>(f), group, nullptr);
  group.add(&by);
  if (by.checks_nothing()) [[likely]] {
    by.run_unchecked_at_once(*made, [&] { spawned<F>::run_here(*made, by); });
    return;
  }
  made->execute_ = &spawned<F>::run_here;
  by.run_at_once(detail::make_slot(made, 1), label);
}

/// Whether the worker, which spawns into the group, had better run the task than queue it. In
/// another arena there may be no place, and what stands on this stack cannot wait for one.
inline bool had_better_run(const worker& by, const group_core& group) noexcept {
  return by.backlog_full() && (group.arena() == nullptr || group.arena() == by.arena());
}

/// Spawns by the group's owner, where as a rule nothing need be looked at. False where that is not
/// the rule. Nor where to copy the function might spawn: what was seen would be outdated.
template <typename F>
bool spawn_quickly(group_core& group, const F& f, const task_label& label) {
  using spawned_type = spawned<F>;
  if constexpr (std::is_trivially_copy_constructible_v<F> &&
                std::is_trivially_move_constructible_v<F> && spawned_type::pooled()) {
    worker* const by = current_worker;
    if (by == nullptr || by != group.quick()) return false;
    if (by->pushes_quietly()) [[likely]] {
      void* const memory = by->memory().pool().allocate(spawned_type::size_class());
      auto* const made = ::new (memory) spawned_type(f, group, &by->memory().pool());
      group.count().add_by_owner(1);
      by->push_quietly(detail::make_slot(made, 1));
      return true;
    }
    if (detail::had_better_run(*by, group)) {
      detail::run_on_stack<F>(*by, group, f, label);
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
  all_workers& of = group.workers();
  worker* const by = detail::worker_of(of);
  const bool normal = options.priority == priority::normal;
  if (options.cost != 1 || options.home || !normal) detail::check_spawn_options(of, options);
  const bool at_once =
      by != nullptr && !options.home && normal && detail::had_better_run(*by, group);
  if constexpr (spawned_type::fits_on_stack()) {
    if (at_once) [[unlikely]] {
      detail::run_on_stack<std::decay_t<F>>(*by, group, std::forward<F>(f), {options.name, type});
      return;
    }
  }
  const pooled_block block = spawned_type::acquire(by, of);
  spawned_type* made = nullptr;
  try {
    made = ::new (block.memory) spawned_type(std::forward<F>(f), group, block.from);
  } catch (...) {
    spawned_type::undo_acquire(block);
    throw;
  }
  group.add(by);
  if constexpr (!spawned_type::fits_on_stack()) {
    if (at_once) [[unlikely]] {
      by->run_at_once(detail::make_slot(made, 1), {options.name, type});
      return;
    }
  }
  try {
    std::uint32_t cost = options.cost;
    if (cost != 1) made->set_hint(cost);
    if (by != nullptr && by->measures_costs()) cost = detail::cost_of_new<spawned_type>(cost, type);
    const slot_word word = detail::make_slot(made, cost);
    if (!normal) {
      detail::spawn_with_priority(of, word, options.priority, {options.name, type});
    } else if (by == nullptr) {
      detail::spawn_from_outside(of, word, options.home, {options.name, type});
    } else if (cost == 1 && (!options.home || *options.home == by->index())) [[likely]] {
      by->push(word, options.name, type);
    } else {
      by->spawn(word, options.home, {options.name, type});
    }
  } catch (...) {
    made->~spawned_type();
    spawned_type::undo_acquire(block);
    group.finish(by);
    throw;
  }
}

}  // namespace detail

/// How a wait for a group has ended.
enum class wait_status {
  /// All its tasks have been called.
  completed,
  /// It was stopped: those of its tasks that had not begun then were dropped, not called.
  stopped
};

namespace detail {
struct task_group_access;
}  // namespace detail

/// A set of tasks that can be waited for together. Make it where you wait: inside a task it must be
/// waited for and destroyed by the task that made it; outside, any thread may spawn and wait,
/// several at once. Tasks of a group may spawn more tasks into it. A group that is empty, or has
/// been waited for, may outlive its runtime; it takes no more tasks then.
class task_group {
 public:
  /// A group of the runtime whose task calls. Throws evencube::error outside of a task.
  EVENCUBE_EXPORT task_group();
  /// A group of `of`, inside or outside of its tasks.
  EVENCUBE_EXPORT explicit task_group(runtime& of);
  /// The same, whose tasks run in that arena (<evencube/arena.hpp>). The others' run in the arena
  /// of the task that makes the group, if that is in one.
  EVENCUBE_EXPORT explicit task_group(arena& in);
  /// As without a token, stopped when the token says so; `request_stop` stops it alone.
  EVENCUBE_EXPORT explicit task_group(std::stop_token token);
  EVENCUBE_EXPORT task_group(runtime& of, std::stop_token token);
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the tasks that are left; their exceptions are dropped. In a forked child it returns
  /// at once. Where tasks are left that can never be waited for, because it is destroyed by another
  /// thread than the task's that made it or by one that holds the runtime, the program ends: they
  /// would go on in memory that is gone.
  EVENCUBE_EXPORT ~task_group();

  /// Queues `f()` as a task. Thread-safe within the rules above. A task that spawns when its worker
  /// has more than 65536 tasks queued already runs the new one at once, so that memory stays
  /// bounded: do not spawn what needs a lock that you hold. Not so one of high or low priority,
  /// which is always queued. Throws std::invalid_argument for a cost or home out of range, or a
  /// home beside another priority than the normal one, std::bad_alloc if there is no memory; the
  /// group is then as before.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F>
  void spawn(F&& f, const spawn_options& options = {}) {
    detail::spawn_into(core_, std::forward<F>(f), options);
  }

  /// Returns when every task of the group has ended; throws the first exception among them (the
  /// others are dropped; of several threads that wait at once, one gets it). A worker that waits
  /// runs tasks of this group and what they spawn, nothing else. The group may be used again
  /// afterwards.
  /// Gives back whether it was stopped. Not [[nodiscard]]: for a group that nobody stops there is
  /// but one answer, and who stops one knows that he has to look.
  /// Throws evencube::error if the group was made by a task of another worker, if tasks
  /// are left and the calling thread holds the runtime or that is gone, and in a forked child.
  EVENCUBE_EXPORT wait_status wait();

  /// Stops the group, for good: of its tasks, and of those of groups that its tasks make in the
  /// same runtime, nothing begins from now on; what has begun goes on, and may ask
  /// `this_task::stop_requested`. The functions of the others are destroyed by the workers that
  /// come upon them, which is when the group's wait ends. Loops and forks of a task that goes on
  /// are part of it and run to their end. Any thread, at any time; never waits.
  EVENCUBE_EXPORT void request_stop() noexcept;
  /// Whether it, or a group that a task above it belongs to, was stopped.
  [[nodiscard]] bool stop_requested() const noexcept {
    return core_.owner() != nullptr ? core_.stopped() : stop_requested_outside();
  }

  /// A token that says so when the group is stopped by `request_stop` or by its own token, to be
  /// handed on by its tasks: to a wait on a condition, a graph, another library. It may outlive the
  /// group. What is registered with it is called by who stops the group, before `request_stop`
  /// returns, and must not throw. Of a stop above the group, or of its runtime, it knows what
  /// `stop_requested` says when it is made: what asks within tasks asks
  /// `this_task::stop_requested`. Any thread that may spawn. Throws std::bad_alloc; the first call
  /// allocates, others do not.
  [[nodiscard]] EVENCUBE_EXPORT std::stop_token stop_token();

 private:
  friend struct detail::task_group_access;

  struct stopper {
    task_group* group;
    void operator()() const noexcept { group->request_stop(); }
  };

  void take_number();
  void wait_outside();
  [[nodiscard]] EVENCUBE_EXPORT bool stop_requested_outside() const noexcept;

  detail::group_core core_;
  /// The number of the runtime, where the group may outlive it: if it was made outside of its
  /// tasks.
  std::uint64_t runtime_id_;
  std::optional<std::stop_callback<stopper>> on_stop_;
  /// What `stop_token` gives out: the address of a std::stop_source, once somebody has asked; and
  /// the lowest bit once `request_stop` was called.
  std::atomic<std::uintptr_t> handed_out_{0};
};

namespace detail {

struct task_group_access {
  /// The group, of which nobody has asked for a token, is as if it had not been stopped. Any
  /// thread, after a wait for it.
  EVENCUBE_EXPORT static void withdraw_stop(task_group& of) noexcept;
};

}  // namespace detail

}  // namespace evencube
