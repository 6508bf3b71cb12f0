#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace bench {

/// A clock that is cheap enough to end a task of one microsecond on time: the time-stamp counter,
/// measured against the steady clock once; elsewhere the steady clock itself.
class spin_clock {
 public:
  spin_clock();

  [[nodiscard]] std::uint64_t ticks(double microseconds) const noexcept {
    return static_cast<std::uint64_t>(microseconds * ticks_per_microsecond_);
  }

  static std::uint64_t now() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

  /// Keeps the CPU busy until `span` ticks have passed since the call.
  static void spin(std::uint64_t span) noexcept {
    const std::uint64_t start = now();
    while (now() - start < span) {
    }
  }

 private:
  double ticks_per_microsecond_;
};

}  // namespace bench
