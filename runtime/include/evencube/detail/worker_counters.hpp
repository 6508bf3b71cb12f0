#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The counters of one worker. Only the worker writes them (plain load and store, no
/// read-modify-write), except where a comment says otherwise. They only grow: a reader that wants
/// to begin again subtracts.
struct alignas(128) worker_counters {
  std::atomic<std::uint64_t> executed{0};
  std::atomic<std::uint64_t> received{0};
  /// The tasks that other threads sent here: a round, the last worker that went to sleep (`match`),
  /// or a spare worker that parks. Written by those threads.
  std::atomic<std::uint64_t> arrived{0};
  std::atomic<std::uint64_t> parks{0};
  std::atomic<std::int64_t> idle_ns{0};
  /// The time at which the worker began to look for work; 0 while it has some.
  std::atomic<std::int64_t> idle_since{0};
  /// How long this worker stayed awake without work, and how often work came in that time.
  std::atomic<std::int64_t> awake_ns{0};
  std::atomic<std::uint64_t> wakeups_avoided{0};
  /// True while the worker runs a task, which counts as load.
  std::atomic<bool> busy{false};
  /// How long the tasks of this worker take, relative to the means of their functions; used if
  /// costs are measured.
  std::atomic<float> slowness{1};
  /// The target of the wait in which the worker sleeps, for people, who compare addresses.
  std::atomic<const node*> awaits{nullptr};

  void begin_idle(std::int64_t now) noexcept { idle_since.store(now, std::memory_order_relaxed); }
  void end_idle(std::int64_t now) noexcept {
    add(idle_ns, now - idle_since.load(std::memory_order_relaxed));
    idle_since.store(0, std::memory_order_relaxed);
  }

  template <typename Counter, typename Amount>
  static void add(Counter& counter, Amount amount) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

}  // namespace evencube::detail
