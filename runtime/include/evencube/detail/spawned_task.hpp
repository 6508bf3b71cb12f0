#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <evencube/detail/block_pool.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

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

}  // namespace evencube::detail
