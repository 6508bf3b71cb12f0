#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The point in time of `now_ns` that is never reached: a wait until then has no limit.
inline constexpr std::int64_t no_deadline = (std::numeric_limits<std::int64_t>::max)();

inline constexpr std::chrono::duration<double> a_century{3.2e9};

/// The point in time of `now_ns` after `time`; `no_deadline` if no clock reaches it.
template <typename Rep, typename Period>
std::int64_t deadline_after(const std::chrono::duration<Rep, Period>& time) noexcept {
  const std::chrono::duration<double> roughly(time);
  if (!(roughly.count() > 0)) return now_ns();
  if (roughly > a_century) return no_deadline;
  return now_ns() + std::chrono::ceil<std::chrono::nanoseconds>(time).count();
}

/// The deadline of a wait until `time`, a time point of the clock that `now_ns` reads. Reads no
/// clock.
template <typename Duration>
std::int64_t deadline_at(const std::chrono::time_point<std::chrono::steady_clock, Duration>& time) {
  const std::chrono::duration<double> roughly(time.time_since_epoch());
  if (!(roughly.count() > 0)) return 0;
  if (roughly > 2 * a_century) return no_deadline;
  return std::chrono::ceil<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

/// The duration until `time`; zero if it has passed. It is compared roughly first, because the
/// difference of very distant times may not be representable in their own unit.
template <typename Clock, typename Duration>
std::chrono::nanoseconds time_until(const std::chrono::time_point<Clock, Duration>& time) {
  using seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const seconds roughly = seconds(time.time_since_epoch()) - seconds(now.time_since_epoch());
  if (!(roughly.count() > -1)) return {};
  if (roughly > a_century) return (std::chrono::nanoseconds::max)();
  const auto left = std::chrono::ceil<std::chrono::nanoseconds>(time - now);
  return left.count() > 0 ? left : std::chrono::nanoseconds{};
}

}  // namespace evencube::detail
