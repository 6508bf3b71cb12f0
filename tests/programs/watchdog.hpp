#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace evencube::programs {

/// Ends the process when a program that is watched makes no progress for too long. One thread for
/// many programs.
class watchdog {
 public:
  /// The process's exit status then.
  static constexpr int hung = 3;

  /// `progress` grows while the watched program goes on. Before the end `report` is called.
  watchdog(std::chrono::milliseconds limit, const std::atomic<std::uint64_t>& progress,
           std::function<void()> report);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

  /// From here on until `rest` a program runs.
  void watch();
  void rest();

 private:
  void look();

  const std::chrono::milliseconds limit_;
  const std::atomic<std::uint64_t>& progress_;
  const std::function<void()> report_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  /// Odd while a program runs; another one for each program. Relaxed everywhere: a look that misses
  /// a change sees it a moment later.
  std::atomic<std::uint64_t> turn_{0};
  std::thread thread_;
};

/// 1, or how many times as long everything takes under a sanitizer.
int slowness();

}  // namespace evencube::programs
