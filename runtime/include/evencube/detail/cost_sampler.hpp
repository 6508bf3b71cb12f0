#pragma once

#include <cstdint>
#include <utility>

namespace evencube::detail {

class measured_profile;

/// Draws the tasks of a worker whose time is taken, and remembers the one that runs
/// (runtime/src/tasks/measured_costs.md). Times are in nanoseconds. Used by the worker alone.
class cost_sampler {
 public:
  /// Two samples are at least this far apart, unless tasks are so long that reading the clock twice
  /// is lost in them.
  static constexpr std::int64_t between_ns = 20'000;
  static constexpr std::int64_t long_task_ns = 10'000;
  /// The sample is one of this number of tasks.
  static constexpr std::uint32_t drawn_of = 32;

  /// What the worker had done when a task began, or ended.
  struct moment {
    std::uint64_t executed;
    std::int64_t idle_ns;
  };
  /// What is to become of the samples.
  enum class next { draw, later };

  /// `on`: whether tasks are measured at all.
  explicit cost_sampler(bool on) noexcept : on_(on) {}

  [[nodiscard]] bool on() const noexcept { return on_; }
  [[nodiscard]] bool under_way() const noexcept { return frame_ != nullptr; }
  [[nodiscard]] bool measures(const void* frame) const noexcept { return frame_ == frame; }
  [[nodiscard]] bool due(std::int64_t now) const noexcept {
    return on_ && frame_ == nullptr && now - at_ > between_ns;
  }

  /// One of the next tasks is to be the sample, by a random number: not the next one, because this
  /// is called where time has passed, after a long task, and what is next is short.
  void draw(std::uint64_t random) noexcept {
    skip_ = static_cast<std::uint32_t>(random % drawn_of);
  }
  /// Whether the task that begins is passed over.
  [[nodiscard]] bool passes_over(bool unknown) noexcept {
    if (skip_ == 0 || unknown) return false;
    --skip_;
    return true;
  }
  /// A task without a profile was drawn, at `now`.
  void miss(std::int64_t now) noexcept { at_ = now; }

  /// The task of `frame` is the sample. `now` is read last: what comes after is the task's.
  template <typename Now>
  void begin(const void* frame, measured_profile* profile, std::uint32_t hint, moment before,
             Now&& now) noexcept {
    frame_ = frame;
    profile_ = profile;
    hint_ = hint;
    before_ = before;
    at_ = now();
  }
  /// It ended at `now`. A task that waited is no sample: what it ran meanwhile has samples of its
  /// own, and how long it slept depends on others. Calls add(profile, took, hint) with a sample.
  template <typename Add>
  next end(std::int64_t now, moment after, Add&& add) noexcept {
    const std::int64_t took = now - std::exchange(at_, now);
    const bool alone = before_.executed == after.executed && before_.idle_ns == after.idle_ns;
    if (alone) add(*profile_, took, hint_);
    frame_ = nullptr;
    return alone && took >= long_task_ns ? next::draw : next::later;
  }

 private:
  const bool on_;
  const void* frame_ = nullptr;  // null: no sample is under way
  measured_profile* profile_ = nullptr;
  std::uint32_t hint_ = 1;
  /// When the sample began; without one, when the last one ended.
  std::int64_t at_ = 0;
  /// The number of tasks to be passed over first.
  std::uint32_t skip_ = 0;
  moment before_{};
};

}  // namespace evencube::detail
