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

  /// Prepares the next start. Call it between two starts, while no thread waits.
  void reset() noexcept {
    // relaxed: threads are told to wait only after this, and that synchronizes.
    waiting_.store(0, std::memory_order_relaxed);
    started_.store(false, std::memory_order_relaxed);
  }

  /// Waits for start(). Yields the processor meanwhile to threads that share it and do not wait
  /// here yet.
  void wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_release);  // pairs with the load in start()
    // Pairs with the store in start(): the time is taken before any thread leaves.
    while (!started_.load(std::memory_order_acquire)) std::this_thread::yield();
  }

  /// Waits until `runners` threads wait, and lets them go. Returns the time of the start.
  [[nodiscard]] clock::time_point start(std::size_t runners) noexcept {
    // Pairs with the addition in wait(): the time is taken when all runners wait.
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
