#pragma once

#include <array>
#include <cstdint>

#include <evencube/detail/worker_counters.hpp>
#include <evencube/statistics.hpp>

namespace evencube::detail {

/// The counters of a runtime since it began. Each counter is written only by its owner, so the
/// counts of a stretch of time are the difference of two snapshots.
struct counter_snapshot {
  std::int64_t at = 0;  ///< the steady clock, in nanoseconds
  /// `busy_seconds` is minus the time without work. The imbalances are sums over rounds.
  statistics totals;
};

/// The counts of requests, by `round_answer`.
inline constexpr std::array<std::uint64_t request_statistics::*, round_answers> request_counts{
    &request_statistics::moved,          &request_statistics::nothing,
    &request_statistics::left_to_thread, &request_statistics::too_soon,
    &request_statistics::under_way,      &request_statistics::not_asked};

/// The difference of two snapshots of one runtime: what happened from `then` to `now`.
[[nodiscard]] statistics between(const counter_snapshot& then, const counter_snapshot& now);

}  // namespace evencube::detail
