#pragma once

#include <atomic>
#include <cstdint>

namespace evencube::detail {

class worker;

/// A link of the ancestry: a task, or a group whose tasks stand below it. A worker that waits may
/// run only what has the awaited node among its ancestors (runtime/docs/waiting.md).
struct node {
  const node* parent_;
};

struct task;

/// What is common to all tasks made by the same template. One constant per type of task, so that a
/// task carries one pointer for it.
struct task_type {
  /// Runs the task to its end, reports to whoever waits for it, and never throws. The task's memory
  /// may be gone when it returns.
  void (*execute)(task&, worker&) noexcept;
};

/// A unit of work that a queue can hold. Lives on the stack of the worker that forked it or in a
/// block of a worker's pool (detail/block_pool.hpp).
struct task : node {
  const task_type* type_;
};

/// A slot of a queue: the address of a task, its cost in quanta - 1 in the upper 16 bits (user
/// addresses have at most 47 bits on the machines we serve), in bit 0 whether the task is a fork
/// whose parent and state are still to be set by `publish` when others may see it first, and in
/// bit 1 whether it is a fork at all: half of what its maker had to do, as a rule.
using slot_word = std::uint64_t;

inline constexpr unsigned cost_shift = 48;
inline constexpr std::uint32_t max_cost = 1U << 16;
inline constexpr slot_word lazy_bit = 1;
inline constexpr slot_word fork_bit = 2;

inline slot_word make_slot(const task* t, std::uint32_t cost) noexcept {
  return reinterpret_cast<std::uintptr_t>(t) | (slot_word{cost - 1} << cost_shift);
}
inline task* task_of(slot_word word) noexcept {
  return reinterpret_cast<task*>(word & ((slot_word{1} << cost_shift) - 1) &
                                 ~(lazy_bit | fork_bit));
}
inline std::uint32_t cost_of(slot_word word) noexcept {
  return static_cast<std::uint32_t>(word >> cost_shift) + 1;
}

/// State of a forked task, in `fork_task::state_`.
enum fork_state : std::uint32_t {
  fork_pending = 0,
  fork_awaited = 1,  // bit: its owner sleeps, or is about to, until it is done
  fork_done = 2,     // bit: it ran, or threw
  fork_failed = 4    // bit: it threw
};

/// The part of a forked task that does not depend on its function. `parent_`, `state_` and `owner_`
/// are set only when the task is published: nobody reads them before.
struct fork_task : task {
  fork_task() noexcept {}

  union {  // a default-made atomic would be set to zero at every fork
    std::atomic<std::uint32_t> state_;
  };
  std::uint32_t owner_;
};

}  // namespace evencube::detail
