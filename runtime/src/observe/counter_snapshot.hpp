#pragma once

#include <cstdint>

#include <evencube/statistics.hpp>

namespace evencube::detail {

/// The counters of a runtime since it began. Each counter is written only by its owner, so the
/// counts of a stretch of time are the difference of two snapshots.
struct counter_snapshot {
  std::int64_t at = 0;  ///< the steady clock, in nanoseconds
  /// `busy_seconds` is minus the time without work. The imbalances are sums over rounds.
  statistics totals;
};

/// The difference of two snapshots of one runtime: what happened from `then` to `now`.
[[nodiscard]] statistics between(const counter_snapshot& then, const counter_snapshot& now);

}  // namespace evencube::detail
