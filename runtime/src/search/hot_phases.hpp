#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include <evencube/detail/future_core.hpp>

namespace evencube::detail {

/// The hot phases of one runtime that have not ended (invariant parking.awake). Any thread may call
/// this.
class hot_phases {
 public:
  /// The time until which workers stay awake, in nanoseconds of `now_ns`, or 0 if there is no
  /// phase. Relaxed: a worker that reads an old value sleeps, or stays awake, until its next check.
  [[nodiscard]] const std::atomic<std::int64_t>& until() const noexcept { return until_; }

  /// Throws std::bad_alloc. Then no phase has begun.
  void begin(std::int64_t until_ns) {
    const std::lock_guard lock(mutex_);
    ends_.push_back(until_ns);
    publish();
  }
  /// Ends a phase that began with this limit. In a forked child it does nothing: a thread of the
  /// parent may have held the lock (invariant shutdown.fork).
  void end(std::int64_t until_ns) noexcept {
    if (generation_ != fork_generation()) return;
    const std::lock_guard lock(mutex_);
    ends_.erase(std::find(ends_.begin(), ends_.end(), until_ns));
    publish();
  }

 private:
  void publish() noexcept {
    const auto last = std::max_element(ends_.begin(), ends_.end());
    until_.store(last == ends_.end() ? 0 : *last, std::memory_order_relaxed);
  }

  const unsigned generation_ = fork_generation();
  std::mutex mutex_;
  std::vector<std::int64_t> ends_;
  std::atomic<std::int64_t> until_{0};
};

}  // namespace evencube::detail
