#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The answer to a worker that requested a round.
enum class round_answer : std::uint8_t {
  moved,
  /// The loads are even, or the balancer moves nothing.
  nothing,
  /// The balancer's thread was called. It leads a round as soon as one is due.
  left_to_thread,
  /// A round ended a moment ago.
  too_soon,
  /// Another thread leads a round, or the runtime is held.
  under_way,
  /// The worker requested none, because it had been woken and found tasks by a pull.
  not_asked
};
inline constexpr std::size_t round_answers = 6;

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
  /// By `round_answer`: what became of the requests for rounds when this worker ran dry.
  std::array<std::atomic<std::uint64_t>, round_answers> requests{};
  /// The target of the wait in which the worker sleeps, for people, who compare addresses.
  std::atomic<const node*> awaits{nullptr};

  void count_request(round_answer end) noexcept {
    add(requests[static_cast<std::size_t>(end)], std::uint64_t{1});
  }
  void begin_idle(std::int64_t now) noexcept { idle_since.store(now, std::memory_order_relaxed); }
  /// Ends a time without work, of which `busy_ns` was not without work after all.
  void end_idle(std::int64_t now, std::int64_t busy_ns = 0) noexcept {
    add(idle_ns, now - idle_since.load(std::memory_order_relaxed) - busy_ns);
    idle_since.store(0, std::memory_order_relaxed);
  }

  template <typename Counter, typename Amount>
  static void add(Counter& counter, Amount amount) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

}  // namespace evencube::detail
