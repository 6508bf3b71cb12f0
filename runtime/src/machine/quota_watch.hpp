#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "machine/cgroup.hpp"

namespace evencube::detail {

/// Tells whether the control groups of the process leave more processor time than the workers of a
/// runtime can use. Their limits are read again from time to time, because containers are resized
/// while they run. Any thread may call it. Times are those of a steady clock in nanoseconds.
class quota_watch {
 public:
  /// The limits are read at most once in this time.
  static constexpr std::int64_t between_readings_ns = 1'000'000'000;

  /// `quota` is what was read at the time `now`. `root` is that of `read_cpu_quota`.
  quota_watch(unsigned workers, double quota, std::int64_t now, std::string root)
      : workers_(workers),
        root_(std::move(root)),
        leaves_room_(exceeds_workers(quota)),
        due_(now + between_readings_ns) {}

  /// True for one of the threads that call after the last reading has become too old. That thread
  /// calls `read`.
  [[nodiscard]] bool claim_reading(std::int64_t now) noexcept {
    std::int64_t due = due_.load(std::memory_order_relaxed);
    // Relaxed: the exchange only selects the thread that reads.
    return now >= due &&
           due_.compare_exchange_strong(due, now + between_readings_ns, std::memory_order_relaxed);
  }
  /// Reads the limits, which takes some 0.1 ms.
  void read() noexcept {
    try {
      // Relaxed: a thread that sees the old value follows later.
      leaves_room_.store(exceeds_workers(detail::read_cpu_quota(root_).cpus),
                         std::memory_order_relaxed);
    } catch (...) {  // no memory: what was read before still counts
    }
  }
  /// True if the quota is larger than the number of workers.
  [[nodiscard]] bool leaves_room() const noexcept {
    return leaves_room_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] bool exceeds_workers(double quota) const noexcept {
    return quota > static_cast<double>(workers_);
  }

  const unsigned workers_;
  const std::string root_;
  std::atomic<bool> leaves_room_;
  std::atomic<std::int64_t> due_;
};

}  // namespace evencube::detail
