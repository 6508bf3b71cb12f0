#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/group_core.hpp>

namespace evencube {

class runtime;

/// No preferred worker.
inline constexpr std::int64_t anywhere = -1;

struct spawn_options {
  /// How many quanta of work the task counts for when loads are balanced. In [1, 65536].
  std::uint32_t cost = 1;
  /// The worker in whose queue the task begins, or `anywhere`: the spawning worker's own. A hint:
  /// balancing may move it on.
  std::int64_t home = anywhere;
};

namespace detail {

struct nothing {};

/// What must outlive the function object until its task has been reported: nothing, mostly.
template <typename F>
nothing lifeline(F&) noexcept {
  return {};
}

/// A spawned task: its function and where its memory came from.
template <typename F>
struct spawned : task {
  /// From `pool`; null: from the heap.
  spawned(F&& f, const group_core& group, block_pool* pool)
      : task{{&group}, &type}, pool_(pool), function_(std::move(f)) {}
  /// On the stack.
  spawned(F&& f, const group_core& group)
      : task{{&group}, &type_here}, pool_(nullptr), function_(std::move(f)) {}

  static void run(task& t, worker& by) noexcept {
    auto& self = static_cast<spawned&>(t);
    group_core& group = self.call();
    block_pool* const pool = self.pool_;
    [[maybe_unused]] const auto alive = lifeline(self.function_);
    self.~spawned();
    release(&self, pool, by);
    if constexpr (std::is_same_v<decltype(lifeline(self.function_)), nothing>) {
      group.finish_later(by);
    } else {
      group.finish(by);  // nobody else may keep the group
    }
  }

  static void run_here(task& t, worker& by) noexcept {
    auto& self = static_cast<spawned&>(t);
    [[maybe_unused]] const auto alive = lifeline(self.function_);
    self.call().finish(by);
  }

  group_core& call() noexcept {
    // The group is the parent and was made non-const.
    auto& group = const_cast<group_core&>(static_cast<const group_core&>(*parent_));
    try {
      function_();
    } catch (...) {
      group.fail();
    }
    return group;
  }

  /// A function: the size of the class is not known yet where its members are declared.
  static constexpr bool pooled() {
    return sizeof(spawned) <= block_pool::largest && alignof(spawned) <= 64;
  }
  static constexpr std::size_t size_class() { return block_pool::class_of(sizeof(spawned)); }
  static void* acquire(block_pool* pool) {
    if (pool != nullptr) return pool->allocate(size_class());
    return ::operator new (sizeof(spawned), std::align_val_t{alignof(spawned)});
  }
  static void release(void* memory, block_pool* pool, worker& by) noexcept {
    if (pool != nullptr) {
      by.free_block(memory, size_class(), *pool);
    } else {
      ::operator delete (memory, std::align_val_t{alignof(spawned)});
    }
  }
  /// Gives back what `acquire` gave, by the same thread.
  static void undo_acquire(void* memory, block_pool* pool) noexcept {
    if (pool != nullptr) {
      pool->release(memory, size_class());
    } else {
      ::operator delete (memory, std::align_val_t{alignof(spawned)});
    }
  }

  static constexpr task_type type{&run};
  static constexpr task_type type_here{&run_here};

  block_pool* pool_;
  [[no_unique_address]] F function_;
};

void spawn_from_outside(scheduler& cube, slot_word word, std::int64_t home);
/// The calling thread's, which is no worker of `cube`.
block_pool& outside_pool_of(scheduler& cube);
/// Throws std::invalid_argument for a cost or a home out of range.
void check_spawn_options(const scheduler& cube, const spawn_options& options);
/// The calling thread's worker if it belongs to `cube`, else null.
worker* worker_of(const scheduler& cube) noexcept;
scheduler& current_cube(const char* what);
scheduler& cube_of(runtime& of);

template <typename F>
void spawn_into(group_core& group, F&& f, const spawn_options& options) {
  using spawned_type = spawned<std::decay_t<F>>;
  scheduler& cube = group.cube();
  worker* const by = worker_of(cube);
  if (options.cost != 1 || options.home != anywhere) check_spawn_options(cube, options);
  if (by != nullptr && options.home == anywhere && by->crowded()) [[unlikely]] {
    spawned_type here(std::decay_t<F>(std::forward<F>(f)), group);
    group.add(by);
    by->run_at_once(here);
    return;
  }
  block_pool* pool = nullptr;
  if constexpr (spawned_type::pooled()) pool = by != nullptr ? &by->pool() : &outside_pool_of(cube);
  void* const memory = spawned_type::acquire(pool);
  try {
    ::new (memory) spawned_type(std::decay_t<F>(std::forward<F>(f)), group, pool);
  } catch (...) {
    spawned_type::undo_acquire(memory, pool);
    throw;
  }
  auto* const made = static_cast<spawned_type*>(memory);
  group.add(by);
  try {
    const slot_word word = make_slot(made, options.cost);
    if (by == nullptr) {
      spawn_from_outside(cube, word, options.home);
    } else if (options.home == anywhere && options.cost == 1) [[likely]] {
      by->push(word);
    } else {
      by->spawn(word, options.home);
    }
  } catch (...) {
    made->~spawned_type();
    spawned_type::undo_acquire(memory, pool);
    group.unadd(by);
    throw;
  }
}

}  // namespace detail

/// A set of tasks that can be waited for together. Make it where you wait: inside a task it must be
/// waited for and destroyed by the task that made it; outside, any thread may spawn and wait.
/// Tasks of a group may spawn more tasks into it.
class task_group {
 public:
  /// A group of the runtime whose task calls. Throws evencube::error outside of a task.
  task_group();
  /// A group of `of`, inside or outside of its tasks.
  explicit task_group(runtime& of);
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits for the tasks that are left; their exceptions are dropped.
  ~task_group();

  /// Queues `f()` as a task. Thread-safe within the rules above. A task that spawns when its worker
  /// has more than 65536 tasks queued already runs the new one at once, and a thread outside of a
  /// runtime with one worker runs some of them, so that memory stays bounded: do not spawn what
  /// needs a lock that you hold. Throws std::invalid_argument for a cost
  /// or home out of range, std::bad_alloc if there is no memory; the group is then as before.
  template <typename F>
  void spawn(F&& f, const spawn_options& options = {}) {
    detail::spawn_into(core_, std::forward<F>(f), options);
  }

  /// Returns when every task of the group has ended; throws the first exception among them (the
  /// others are dropped). A worker that waits runs tasks of this group and what they spawn, nothing
  /// else. The group may be used again afterwards.
  /// Throws evencube::error if the group was made by a task of another worker.
  void wait();

 private:
  detail::group_core core_;
};

}  // namespace evencube
