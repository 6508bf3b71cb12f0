#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <evencube/papers/reproduction.hpp>

#include "text.hpp"

namespace evencube::papers {

using namespace simulator;

inline std::string text_of(std::uint64_t value) { return std::to_string(value); }

/// Runs body(i) for i in [0, count) on the options' executor and reports the share done. Returns
/// false if the caller stopped it; bodies not yet begun are then skipped, and `done[i]` tells them
/// apart.
class sampler {
 public:
  explicit sampler(const reproduce_options& options) : options_(options) {}

  /// `from` and `to`: the part of the whole experiment this is, for the progress.
  bool run(std::size_t count, double from, double to,
           const std::function<void(std::size_t)>& body) {
    std::size_t finished = 0;
    const auto one = [&](std::size_t i) {
      // relaxed: only a hint to skip; the results of bodies are published by the executor's join
      if (stopped_.load(std::memory_order_relaxed)) return;
      body(i);
      const std::lock_guard lock(mutex_);
      ++finished;
      const double share =
          from + (to - from) * static_cast<double>(finished) / static_cast<double>(count);
      if (options_.progress && !options_.progress(share)) {
        stopped_.store(true, std::memory_order_relaxed);
      }
    };
    if (options_.executor) {
      options_.executor(count, one);
    } else {
      for (std::size_t i = 0; i < count; ++i) one(i);
    }
    return !stopped();
  }

  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

 private:
  const reproduce_options& options_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
};

}  // namespace evencube::papers
