#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace evencube::cli {

/// Lets threads that are awake begin together, so that waking them is no part of their time.
class starting_line {
 public:
  using clock = std::chrono::steady_clock;

  /// Between two starts, while nobody waits.
  void reset() noexcept {
    // Whoever waits is told to only after this, by other means.
    waiting_.store(0, std::memory_order_relaxed);
    started_.store(false, std::memory_order_relaxed);
  }

  /// Until start(). Gives the processor away meanwhile, for those who share it and are not here
  /// yet.
  void wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_release);  // pairs with the load in start()
    // Pairs with the store in start(): the time is taken before anybody leaves.
    while (!started_.load(std::memory_order_acquire)) std::this_thread::yield();
  }

  /// Waits until `runners` threads wait, and lets them go. The time when it did.
  [[nodiscard]] clock::time_point start(std::size_t runners) noexcept {
    // Pairs with the addition in wait(): the time is taken when all are here.
    while (waiting_.load(std::memory_order_acquire) < runners) std::this_thread::yield();
    const auto now = clock::now();
    started_.store(true, std::memory_order_release);  // pairs with the load in wait()
    return now;
  }

 private:
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> started_{false};
};

}  // namespace evencube::cli
