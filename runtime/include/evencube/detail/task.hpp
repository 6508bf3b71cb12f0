#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// A link of the ancestry: a task, or a group whose tasks stand below it. A worker that waits may
/// run only what has the awaited node among its ancestors (runtime/src/wait/waiting.md).
struct node {
  const node* parent_;
};

/// Whether `from` is the node `n` or one of its ancestors. O(depth).
inline bool descends(const node* n, const node& from) noexcept {
  for (; n != nullptr; n = n->parent_) {
    if (n == &from) return true;
  }
  return false;
}

/// A slot of a queue: the address of a task, its cost in quanta - 1 in the upper 16 bits (user
/// addresses have at most 47 bits on the machines we serve), and three bits about it.
using slot_word = std::uint64_t;

/// A unit of work that a queue can hold. Lives on the stack of the worker that forked it or in
/// memory of its own. Its maker sets `parent_` and `execute_`; a fork's parent only when others may
/// see it.
struct task : node {
  task() noexcept {}

  /// Runs the task to its end, reports to whoever waits for it, and never throws. The task's memory
  /// may be gone when it returns. A function pointer: objects of templates would keep libraries
  /// from being unloaded.
  void (*execute_)(task&, worker&) noexcept;
  /// The next task of the same message while it travels; nothing else touches it.
  slot_word next_;
};

inline constexpr unsigned cost_shift = 48;
inline constexpr std::uint32_t max_cost = 1U << 16;
/// A fork whose parent and state are still to be set when others may see it first.
inline constexpr slot_word lazy_bit = 1;
/// A fork: half of what its maker had to do, as a rule.
inline constexpr slot_word fork_bit = 2;
/// A `future_core`, which a waiter may have begun already: the slot is empty then.
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

/// State of a forked task: bits beside the address of its owner in `fork_task::state_`.
enum fork_state : std::uintptr_t {
  fork_awaited = 1,  // bit: its owner sleeps, or is about to, until it is done
  fork_done = 2,     // bit: it ran, or threw
  fork_failed = 4,   // bit: it threw
  fork_bits = 7
};

/// The part of a forked task that does not depend on its function. Small: it is part of every frame
/// of a recursion.
struct fork_task : task {
  fork_task() noexcept {}

  /// Before others may see it: whose task forks it, in which arena (null: in none), and on which
  /// worker (null: one that cannot be rung). Nobody reads these before.
  void publish(const node* parent, void* arena, worker* owner) noexcept {
    parent_ = parent;
    arena_ = arena;
    ::new (&state_) std::atomic<std::uintptr_t>(reinterpret_cast<std::uintptr_t>(owner));
  }

  /// A `basic_arena` of the engine's policy.
  void* arena_;
  union {  // a default-made atomic would be set to zero at every fork
    std::atomic<std::uintptr_t> state_;
  };
};

}  // namespace evencube::detail
