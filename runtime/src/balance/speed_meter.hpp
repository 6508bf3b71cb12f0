#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/engine_fwd.hpp>

#include "platform/platform.hpp"

namespace evencube::detail {

/// The share of its unit that one thread gets while it is not idle.
class unit_share {
 public:
  /// A share is measured over a window of at least this length.
  static constexpr std::int64_t window_ns = 5'000'000;
  /// A window counts only if the worker was busy for at least this time in it.
  static constexpr std::int64_t least_busy_ns = 1'000'000;

  /// A reading at time `now`: until then the thread was idle for `idle_ns` and used `used_ns` of a
  /// processor, both counted from the same arbitrary moment.
  void see(std::int64_t now, std::int64_t idle_ns, std::int64_t used_ns) noexcept;
  /// Starts over, because another thread, or none, is the worker now: the last reading cannot be
  /// compared with the next.
  void forget() noexcept { seen_at_ = 0; }

  /// The share, in (0, 1]: a mean over the last windows, in which the last one counts half.
  [[nodiscard]] double value() const noexcept { return share_; }

 private:
  std::int64_t seen_at_ = 0;
  std::int64_t idle_ns_ = 0;
  std::int64_t used_ns_ = 0;
  double share_ = 1;
};

/// The present speed of each worker (runtime/src/tasks/measured_costs.md): its share of its unit,
/// because the system may run other programs there. If costs are measured, also how long its tasks
/// take relative to tasks of the same functions elsewhere, because its core may be slower.
class speed_meter {
 public:
  /// Speeds are reported in steps of this size: a smaller difference is noise and moves no tasks.
  static constexpr double step = 0.125;

  /// Creates a meter for this number of workers.
  explicit speed_meter(std::uint32_t workers);

  /// From now on the thread with this clock is worker k. Any thread.
  void sits(std::uint32_t k, thread_clock clock) noexcept {
    clocks_[k].store(clock, std::memory_order_relaxed);
  }

  /// Reads the clocks again if the last look was long ago, with one system call for each worker.
  /// One thread at a time.
  void look(all_workers& at) noexcept;

  /// The speed of each worker relative to the fastest, in (0, 1]. For the thread that looks.
  [[nodiscard]] const std::vector<double>& speeds() const noexcept { return speeds_; }
  /// True if all speeds are equal.
  [[nodiscard]] bool alike() const noexcept { return alike_; }

  /// Turns measured speeds into speeds relative to the fastest, in steps. Returns true if all are
  /// equal.
  static bool compare(std::vector<double>& speeds) noexcept;

 private:
  struct reading {
    thread_clock clock = nobodys_clock;
    unit_share share;
  };

  std::unique_ptr<std::atomic<thread_clock>[]> clocks_;
  std::vector<reading> readings_;
  std::vector<double> speeds_;
  std::int64_t looked_at_ = 0;
  bool alike_ = true;
};

}  // namespace evencube::detail
