#pragma once

#include <cstdint>

#include <evencube/statistics.hpp>

namespace evencube::detail {

/// The counters of a runtime since it began. Nobody's counter is written but by its owner: what is
/// asked of a stretch of time is the difference of two of these.
struct counter_snapshot {
  std::int64_t at = 0;  ///< of the steady clock, in nanoseconds
  /// `busy_seconds` is minus the time without work; the imbalances are sums over rounds.
  statistics totals;
};

/// What happened from `then` to `now`, of one runtime, in that order.
[[nodiscard]] statistics between(const counter_snapshot& then, const counter_snapshot& now);

}  // namespace evencube::detail
