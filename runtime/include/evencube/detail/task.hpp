#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// A link in a chain of parents: a task, or a group whose tasks are below it. A worker in a wait
/// may run only tasks that have the awaited node among their ancestors
/// (runtime/src/wait/waiting.md).
struct node {
  const node* parent_;
};

/// True if `from` is the node `n` or one of its ancestors. O(depth).
inline bool descends(const node* n, const node& from) noexcept {
  for (; n != nullptr; n = n->parent_) {
    if (n == &from) return true;
  }
  return false;
}

/// A slot of a queue: the address of a task, its cost in quanta - 1 in the upper 16 bits (addresses
/// of users have at most 47 bits on the supported machines), and three bits about the task.
using slot_word = std::uint64_t;

/// A unit of work that a queue can hold. It is on the stack of the worker that forked it, or in
/// memory of its own. Its maker sets `parent_` and `execute_`. The parent of a fork is set only
/// when other threads may see the fork.
struct task : node {
  task() noexcept {}

  /// Runs the task to its end, reports the end to the waiters, and never throws. The memory of the
  /// task may be gone when it returns. It is a function pointer, because objects of templates (such
  /// as tables of virtual functions) would keep libraries from being unloaded.
  void (*execute_)(task&, runner&) noexcept;
  /// The next task of the same message while the task travels. Not used otherwise.
  slot_word next_;
};

inline constexpr unsigned cost_shift = 48;
inline constexpr std::uint32_t max_cost = 1U << 16;
/// A fork whose parent and state are not set yet. They are set before other threads may see it.
inline constexpr slot_word lazy_bit = 1;
/// A fork: as a rule, half of the work that its maker had to do.
inline constexpr slot_word fork_bit = 2;
/// A `future_core`. A waiter may have begun it already; the slot is empty then.
inline constexpr slot_word future_bit = 4;

inline slot_word make_slot(const task* t, std::uint32_t cost) noexcept {
  return reinterpret_cast<std::uintptr_t>(t) | (slot_word{cost - 1} << cost_shift);
}
inline task* task_of(slot_word word) noexcept {
  return reinterpret_cast<task*>(word & ((slot_word{1} << cost_shift) - 1) &
                                 ~(lazy_bit | fork_bit | future_bit));
}
inline std::uint32_t cost_of(slot_word word) noexcept {
  return static_cast<std::uint32_t>(word >> cost_shift) + 1;
}

/// The state of a forked task: bits next to the address of its owner's bell in `fork_task::state_`.
enum fork_state : std::uintptr_t {
  fork_awaited = 1,  // bit: its owner sleeps until it is done, or is about to
  fork_done = 2,     // bit: it ran, or threw
  fork_failed = 4,   // bit: it threw
  fork_bits = 7
};

/// The part of a forked task that does not depend on its function. It is small, because it is part
/// of every frame of a recursion.
struct fork_task : task {
  fork_task() noexcept {}

  /// Called before other threads may see the fork: sets its parent, its arena (null: none) and the
  /// bell of its owner (null: none is rung). These are not read before.
  void publish(const node* parent, void* arena, void* bell) noexcept {
    parent_ = parent;
    arena_ = arena;
    ::new (&state_) std::atomic<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(bell));
  }

  /// A `basic_arena` of the engine's policy, or null.
  void* arena_;
  union {  // a default-constructed atomic would be set to zero at every fork
    std::atomic<std::uintptr_t> state_;
  };
};

}  // namespace evencube::detail
