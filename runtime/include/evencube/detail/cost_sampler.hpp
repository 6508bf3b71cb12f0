#pragma once

#include <cstdint>
#include <utility>

namespace evencube::detail {

class measured_profile;

/// Draws the tasks of a worker that are measured, and records the one that runs
/// (runtime/src/tasks/measured_costs.md). Times are in nanoseconds. Used by the worker alone.
class cost_sampler {
 public:
  /// Two samples are at least this far apart, unless tasks are so long that reading the clock twice
  /// does not matter.
  static constexpr std::int64_t between_ns = 20'000;
  static constexpr std::int64_t long_task_ns = 10'000;
  /// The sample is one of this many tasks.
  static constexpr std::uint32_t drawn_of = 32;

  /// What the worker had done when a task began or ended.
  struct moment {
    std::uint64_t executed;
    std::int64_t idle_ns;
  };
  /// What `end` decides about the next sample: one of the next tasks is drawn at once, or later.
  enum class next { draw, later };

  /// `enabled` is true if tasks are measured at all.
  explicit cost_sampler(bool enabled) noexcept : enabled_(enabled) {}

  [[nodiscard]] bool enabled() const noexcept { return enabled_; }
  [[nodiscard]] bool under_way() const noexcept { return frame_ != nullptr; }
  [[nodiscard]] bool measures(const void* frame) const noexcept { return frame_ == frame; }
  [[nodiscard]] bool due(std::int64_t now) const noexcept {
    return enabled_ && frame_ == nullptr && now - at_ > between_ns;
  }

  /// Lets one of the next tasks be the sample, chosen by a random number. It is not simply the next
  /// task: this is called when time has passed, so after a long task, and the next one is mostly
  /// short.
  void draw(std::uint64_t random) noexcept {
    skip_ = static_cast<std::uint32_t>(random % drawn_of);
  }
  /// True if the beginning task is not the sample.
  [[nodiscard]] bool passes_over(bool unknown) noexcept {
    if (skip_ == 0 || unknown) return false;
    --skip_;
    return true;
  }
  /// Called when a task without a profile was drawn, at `now`.
  void miss(std::int64_t now) noexcept { at_ = now; }

  /// Makes the task of `frame` the sample. `now` is read last, so that only time after that counts
  /// for the task.
  template <typename Now>
  void begin(const void* frame, measured_profile* profile, std::uint32_t hint, moment before,
             Now&& now) noexcept {
    frame_ = frame;
    profile_ = profile;
    hint_ = hint;
    before_ = before;
    at_ = now();
  }
  /// Called when the sample ended at `now`. A task that waited is no sample: the tasks that it ran
  /// meanwhile have samples of their own, and the time that it slept depends on other tasks. Calls
  /// add(profile, took, hint) with a valid sample.
  template <typename Add>
  next end(std::int64_t now, moment after, Add&& add) noexcept {
    const std::int64_t took = now - std::exchange(at_, now);
    const bool alone = before_.executed == after.executed && before_.idle_ns == after.idle_ns;
    if (alone) add(*profile_, took, hint_);
    frame_ = nullptr;
    return alone && took >= long_task_ns ? next::draw : next::later;
  }

 private:
  const bool enabled_;
  const void* frame_ = nullptr;  // null if no sample is under way
  measured_profile* profile_ = nullptr;
  std::uint32_t hint_ = 1;
  /// The time when the sample began or, without one, when the last one ended.
  std::int64_t at_ = 0;
  /// The number of tasks to pass over first.
  std::uint32_t skip_ = 0;
  moment before_{};
};

}  // namespace evencube::detail
