#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// The count of unfinished tasks of a group, and their first exception. Invariants G1 to G3 are in
/// runtime/docs/waiting.md.
///
/// A group made inside a task has a home: the worker that runs it. What the home spawns and runs
/// itself is counted in `local_` without atomics; everything else in `pending_`. The number of
/// unfinished tasks is the sum of both (each may be negative alone).
class group_core : public node {
 public:
  group_core(scheduler& cube, worker* home) noexcept
      : node{home != nullptr ? home->running() : nullptr}, cube_(&cube), home_(home) {}
  /// A group below another one, made by whatever thread.
  group_core(scheduler& cube, const group_core& parent) noexcept
      : node{&parent}, cube_(&cube), home_(nullptr) {}
  group_core(const group_core&) = delete;
  group_core& operator=(const group_core&) = delete;
  ~group_core() = default;

  [[nodiscard]] scheduler& cube() const noexcept { return *cube_; }
  [[nodiscard]] worker* home() const noexcept { return home_; }

  /// One more task, spawned by `by` (null: a thread outside).
  void add(const worker* by) noexcept {
    if (by != nullptr && by == home_) {
      ++local_;
    } else {
      // Relaxed: whoever spawns is a task of this group or the thread that will wait for it, so the
      // count cannot reach zero meanwhile.
      pending_.fetch_add(one, std::memory_order_relaxed);
    }
  }

  /// Takes `add` back: the task could not be queued.
  void unadd(const worker* by) noexcept {
    if (by != nullptr && by == home_) {
      --local_;
    } else {
      finish_elsewhere();
    }
  }

  /// A task that `by` ran has ended. The group may be gone when this returns.
  void finish(worker& by) noexcept {
    if (&by == home_) {
      --local_;
    } else {
      finish_elsewhere();
    }
  }

  /// Keeps the first exception. Call from a handler.
  void fail() noexcept {
    // Relaxed: the flag only elects who writes; `failure_` is published by `finish`.
    if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
  }

  /// Blocks until no task is left; the caller is `by`, or a thread outside.
  /// Throws evencube::error if the group has a home that is not the caller.
  void wait(worker* by);

  /// After `wait`: throws what `fail` kept, and forgets it.
  void rethrow();

  /// For the home: nothing left to wait for.
  [[nodiscard]] bool done_at_home() const noexcept {
    // Acquire: pairs with the release in `finish_elsewhere`.
    return local_ + count_of(pending_.load(std::memory_order_acquire)) == 0;
  }
  [[nodiscard]] bool done_elsewhere() const noexcept {
    return count_of(pending_.load(std::memory_order_acquire)) == 0;  // as above
  }

 private:
  friend class worker;
  friend class scheduler;

  static constexpr std::int64_t one = 4;
  static constexpr std::int64_t home_sleeps = 1;
  static constexpr std::int64_t others_wait = 2;

  static std::int64_t count_of(std::int64_t word) noexcept { return word >> 2; }

  void finish_elsewhere() noexcept;
  /// Asks the last task to wake everybody who waits. False if nothing is left.
  bool announce_waiter() noexcept;
  /// Before the home sleeps: moves `local_` into `pending_`, so that the last task elsewhere sees
  /// that it is the last. False if nothing is left.
  bool begin_sleep() noexcept;
  void end_sleep() noexcept;

  // A line each for what everybody reads, what the home writes and what the others write.
  scheduler* cube_;
  worker* home_;
  alignas(64) std::int64_t local_ = 0;
  alignas(64) std::atomic<std::int64_t> pending_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace evencube::detail
