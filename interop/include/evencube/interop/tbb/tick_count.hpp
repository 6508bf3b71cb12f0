#pragma once

#include <chrono>

namespace evencube::tbb {

/// A time point of a monotonic clock.
class tick_count {
 public:
  using clock_type = std::chrono::steady_clock;

  /// The time between two time points.
  class interval_t {
   public:
    constexpr interval_t() noexcept = default;
    constexpr explicit interval_t(double seconds) noexcept : seconds_(seconds) {}
    [[nodiscard]] constexpr double seconds() const noexcept { return seconds_; }

    constexpr interval_t& operator+=(const interval_t& other) noexcept {
      seconds_ += other.seconds_;
      return *this;
    }
    constexpr interval_t& operator-=(const interval_t& other) noexcept {
      seconds_ -= other.seconds_;
      return *this;
    }
    friend constexpr interval_t operator+(interval_t a, const interval_t& b) noexcept {
      return a += b;
    }
    friend constexpr interval_t operator-(interval_t a, const interval_t& b) noexcept {
      return a -= b;
    }

   private:
    double seconds_ = 0.0;
  };

  tick_count() noexcept = default;
  [[nodiscard]] static tick_count now() noexcept {
    tick_count made;
    made.at_ = clock_type::now();
    return made;
  }
  /// Returns the smallest difference between distinct time points, in seconds.
  [[nodiscard]] static double resolution() noexcept {
    return static_cast<double>(clock_type::period::num) /
           static_cast<double>(clock_type::period::den);
  }
  friend interval_t operator-(const tick_count& later, const tick_count& earlier) noexcept {
    return interval_t(std::chrono::duration<double>(later.at_ - earlier.at_).count());
  }

 private:
  clock_type::time_point at_;
};

}  // namespace evencube::tbb
