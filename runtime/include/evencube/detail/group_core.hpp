#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include <evencube/detail/group_count.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// A group of tasks: the count of the unfinished ones (detail/group_count.hpp), and their first
/// exception. A group made inside a task has a home: the worker that runs it.
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
      count_.add_at_home(1);
    } else {
      count_.add_elsewhere();
    }
  }

  /// Takes `add` back: the task could not be queued.
  void unadd(const worker* by) noexcept {
    if (by != nullptr && by == home_) {
      count_.add_at_home(-1);
    } else {
      finish_elsewhere(1);
    }
  }

  /// A task that `by` ran has ended. The group may be gone when this returns.
  void finish(worker& by) noexcept {
    if (&by == home_) {
      count_.add_at_home(-1);
    } else {
      finish_elsewhere(1);
    }
  }

  /// The same, but the group may learn it later, when `by` has run what else it has of the group
  /// (invariant G5). Only if the group outlives its count.
  void finish_later(worker& by) noexcept {
    if (&by == home_) {
      count_.add_at_home(-1);
    } else {
      by.end_later(*this);
    }
  }

  /// Keeps the first exception. Call from a handler.
  void fail() noexcept {
    // Relaxed: the flag only elects who writes; `failure_` is published by `finish`.
    if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
  }

  /// Whether `fail` was called since the last `rethrow`: a hint that the rest is in vain.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

  /// Blocks until no task is left; the caller is `by`, or a thread outside.
  /// Throws evencube::error if the group has a home that is not the caller.
  void wait(worker* by);

  /// After `wait`: throws what `fail` kept, and forgets it.
  void rethrow();

  [[nodiscard]] bool done_elsewhere() const noexcept { return count_.done_elsewhere(); }

 private:
  friend class worker;
  friend class scheduler;

  void finish_elsewhere(std::uint32_t tasks) noexcept;

  scheduler* cube_;
  worker* home_;
  group_count count_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace evencube::detail
