#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <evencube/trace/machine_costs.hpp>

#include "console.hpp"
#include "measurement.hpp"

namespace evencube::cli {

/// What one rank did in one run.
struct rank_counters {
  std::uint32_t workers = 0;
  std::uint64_t executed = 0;
  /// Tasks that left for other ranks, and that came.
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  /// All that the rank sent to others.
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rounds = 0;
};

/// One run over ranks.
struct ranks_sample {
  double seconds = 0;
  std::uint64_t tasks = 0;
  std::vector<rank_counters> ranks;
  checked check;
};

/// What the simulator says a run takes, by a recording of rank 0 alone.
struct rank_forecast {
  double seconds = 0;
  traces::rank_link link;  ///< as measured just before
  double task_bytes = 0;   ///< that a task which moved carried, in the run
};

/// What `run --cluster` tells.
struct ranks_report {
  std::string workload;
  std::string balancer;
  std::string sharing;
  std::string transmission;
  double serial_seconds = 0;
  ranks_sample measured;
  std::optional<rank_forecast> forecast = std::nullopt;

  /// Of all ranks together.
  [[nodiscard]] std::uint32_t workers() const;
  /// The serial twin's time over the parallel run's.
  [[nodiscard]] double speedup() const;
  /// Bytes for each task that moved; 0 if none did.
  [[nodiscard]] double bytes_per_move() const;
};

[[nodiscard]] json to_json(const ranks_report& report);
/// A table for people, by ranks, and the times.
[[nodiscard]] std::string to_text(const ranks_report& report);

}  // namespace evencube::cli
