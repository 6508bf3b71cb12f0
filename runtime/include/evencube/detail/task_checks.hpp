#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/cost_sampler.hpp>
#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// What a worker checks for every task that it runs: a log or an observer of tasks, arenas, a
/// sample of costs, the marks of the strategy. The checks are in one word, so that a task that
/// needs none of them costs one test.
class task_checks {
 public:
  /// `measures` is true if tasks are measured, `observes` if an observer is notified of tasks.
  task_checks(bool measures, bool observes) noexcept
      : word_(observes ? tasks : 0), sampler_(measures) {}

  /// The word: 0 if there is nothing to check.
  [[nodiscard]] std::uint32_t word() const noexcept {
    return word_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool none() const noexcept { return word() == 0; }
  /// True if the beginning and the end of a task must be noted.
  [[nodiscard]] bool noted() const noexcept { return (word() & (tasks | sample)) != 0; }
  /// True if something is to be done before a task begins.
  [[nodiscard]] bool before_begin() const noexcept {
    return (word() & (tasks | sample | marks)) != 0;
  }

  /// True if the arena of each task is checked.
  [[nodiscard]] bool arenas() const noexcept { return (word() & arena) != 0; }
  /// Lets the arena of each task be checked from now on. Any thread may call this.
  void expect_arenas() noexcept { word_.fetch_or(arena, std::memory_order_relaxed); }

  /// True if the load is compared with the marks of the strategy before each task.
  [[nodiscard]] bool watches_marks() const noexcept { return (word() & marks) != 0; }
  /// Says whether it is from now on. Any thread may call this.
  void watch_marks(bool watched) noexcept {
    if (watched) {
      word_.fetch_or(marks, std::memory_order_relaxed);
    } else {
      word_.fetch_and(~marks, std::memory_order_relaxed);
    }
  }

  /// The log in which the worker records what it does, or null.
  [[nodiscard]] event_log* log() const noexcept { return log_; }
  /// Sets the log. Changes only while all workers stand still.
  void record(event_log* log, bool observes) noexcept {
    log_ = log;
    if (log != nullptr || observes) {
      word_.fetch_or(tasks, std::memory_order_relaxed);
    } else {
      word_.fetch_and(~tasks, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] cost_sampler& sampler() noexcept { return sampler_; }
  [[nodiscard]] const cost_sampler& sampler() const noexcept { return sampler_; }
  /// True if one of the next tasks is to be measured.
  [[nodiscard]] bool wants_sample() const noexcept { return (word() & sample) != 0; }
  void want_sample() noexcept { word_.fetch_or(sample, std::memory_order_relaxed); }
  void want_no_sample() noexcept { word_.fetch_and(~sample, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t tasks = 1;
  static constexpr std::uint32_t arena = 2;
  static constexpr std::uint32_t sample = 4;
  static constexpr std::uint32_t marks = 8;

  event_log* log_ = nullptr;
  /// Not an atomic of the policy, because a thread that hands on a task of an arena has set the
  /// check before.
  std::atomic<std::uint32_t> word_;
  cost_sampler sampler_;
};

}  // namespace evencube::detail
