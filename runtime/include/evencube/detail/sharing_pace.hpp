#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/least.hpp>

namespace evencube::detail {

/// Decides when a worker shares the tasks that it queues, and how many it takes back at a time.
/// Both depend on the length of its tasks: long tasks are shared one by one, short ones half a
/// queue at a time, on request. Times are in nanoseconds. Used by the worker alone.
class sharing_pace {
 public:
  /// Tasks shorter than this on average need not be shared one by one. A request of an idle worker
  /// is then answered at one of the next pushes, soon enough.
  static constexpr std::int64_t fine_ns = 5'000;
  /// A request that waited longer than this shows that tasks have become long.
  static constexpr std::int64_t late_ns = 20'000;
  /// The number of pushes between two readings of the clock while every push is shared.
  static constexpr std::uint32_t window = 32;
  /// Tasks that the owner takes back at a time may last this long in all, hidden from other
  /// workers.
  static constexpr std::int64_t hidden_ns = 4'000;
  static constexpr std::uint32_t largest_batch = 256;
  /// The number of batches of a single task between two readings of the clock.
  static constexpr std::uint32_t looks = 8;

  /// `others` is true if there are other workers. Every push is shared then at first.
  explicit sharing_pace(bool others) noexcept : every_push_(others) {}

  /// True if every push is shared, and thereby visible, at once.
  [[nodiscard]] bool every_push() const noexcept { return every_push_; }

  /// Counts a push. Returns true if `pushed_at` must be called with the time.
  [[nodiscard]] bool window_is_full() noexcept { return every_push_ && ++window_pushes_ >= window; }
  /// Decides whether pushes stay shared. If `always`, every push stays shared, however short tasks
  /// are.
  void pushed_at(std::int64_t now, bool always) noexcept {
    every_push_ = always || now - window_began_ > fine_ns * window;
    begin_window(now);
  }
  /// Called when a request was answered late: from now on every push is shared.
  void answered_late(std::int64_t now) noexcept {
    every_push_ = true;
    begin_window(now);
  }

  /// The number of tasks that the owner takes back at a time, at least 1. It is 1 if tasks are
  /// long.
  [[nodiscard]] std::uint32_t batch() const noexcept { return batch_; }
  /// Called before a batch is taken back. Returns true if `batch_at` must be called with the time.
  /// Reading the clock for each long task would cost more than it could gain.
  [[nodiscard]] bool batch_is_due() noexcept { return ++batches_ >= looks || batch_ != 1; }
  /// Adapts the batch to the time since the last reading. If `single`, tasks are taken back one at
  /// a time, however short they are.
  void batch_at(std::int64_t now, bool single) noexcept {
    const std::int64_t each = (now - batch_began_) / (std::exchange(batches_, 0U) * batch_);
    batch_began_ = now;
    const std::int64_t fitting = hidden_ns / detail::greatest<std::int64_t>(each, 1);
    const auto allowed = static_cast<std::uint32_t>(
        detail::least<std::int64_t>(detail::greatest<std::int64_t>(fitting, 1), largest_batch));
    batch_ = single ? 1 : detail::least(allowed, batch_ * 2);
  }

 private:
  void begin_window(std::int64_t now) noexcept {
    window_pushes_ = 0;
    window_began_ = now;
  }

  bool every_push_;
  std::uint32_t window_pushes_ = 0;
  std::int64_t window_began_ = 0;
  std::uint32_t batch_ = 1;
  std::uint32_t batches_ = 0;  // since the clock was read
  std::int64_t batch_began_ = 0;
};

}  // namespace evencube::detail
