#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/engine_fwd.hpp>

namespace evencube::detail {

/// The share that one thread has of its unit while it is not idle.
class unit_share {
 public:
  /// A share is that of so long at least, ...
  static constexpr std::int64_t window_ns = 5'000'000;
  /// ... of which the worker was busy for so long at least.
  static constexpr std::int64_t least_busy_ns = 1'000'000;

  /// Until now it was idle for so long, and used so much of a processor, since any moment.
  void see(std::int64_t now, std::int64_t idle_ns, std::int64_t used_ns) noexcept;
  /// Another thread, or none, is the worker: there is nothing to compare with.
  void forget() noexcept { seen_at_ = 0; }

  /// In (0, 1]; of the last windows, the last one counts half.
  [[nodiscard]] double value() const noexcept { return share_; }

 private:
  std::int64_t seen_at_ = 0;
  std::int64_t idle_ns_ = 0;
  std::int64_t used_ns_ = 0;
  double share_ = 1;
};

/// How fast each worker is at the moment, by what it got (runtime/src/tasks/measured_costs.md): its
/// share of its unit, where the system may run other programs; and, where costs are measured, how
/// long its tasks take beside those of the same functions elsewhere, for its core may be slower.
class speed_meter {
 public:
  /// Speeds are told in steps of this size: a smaller difference is noise, and moves no tasks.
  static constexpr double step = 0.125;
  static constexpr clockid_t nobodys = -1;

  /// For so many workers.
  explicit speed_meter(std::uint32_t workers);

  /// The thread of that clock is worker k from now on. Any thread.
  void sits(std::uint32_t k, clockid_t whose) noexcept {
    clocks_[k].store(whose, std::memory_order_relaxed);
  }
  /// That of the calling thread.
  static clockid_t own_clock() noexcept;

  /// Looks again if the last time was long ago. One thread at a time. A call of the system for each
  /// worker then.
  void look(all_workers& at) noexcept;

  /// Of each worker, relative to the fastest, in (0, 1]. By who looks.
  [[nodiscard]] const std::vector<double>& speeds() const noexcept { return speeds_; }
  /// Whether all are alike.
  [[nodiscard]] bool alike() const noexcept { return alike_; }

  /// What the speeds become that were found: relative to the fastest, in steps. Gives back whether
  /// all are alike.
  static bool compare(std::vector<double>& speeds) noexcept;

 private:
  struct reading {
    clockid_t clock = nobodys;
    unit_share share;
  };

  std::unique_ptr<std::atomic<clockid_t>[]> clocks_;
  std::vector<reading> readings_;
  std::vector<double> speeds_;
  std::int64_t looked_at_ = 0;
  bool alike_ = true;
};

}  // namespace evencube::detail
