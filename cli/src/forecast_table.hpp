#pragma once

#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

#include "console.hpp"

namespace evencube::cli {

/// A strategy's forecast beside what it was measured to take.
struct forecast_row {
  std::string balancer;
  double forecast_seconds = 0;
  double measured_seconds = 0;
  /// Why the strategy has no row of figures; empty if it has one.
  std::string refused = {};

  /// |forecast - measured| / measured.
  [[nodiscard]] double error() const;
};

struct forecast_table {
  std::vector<forecast_row> rows;
  /// How far the replay of each recording is off that recording itself, ascending.
  std::vector<double> recorded_errors;
};

/// Runs the workload under every registered balancer and random stealing, `repeat` times in turn,
/// recording those of `options.balancer`; the measured time is the median. The forecasts are
/// replays of its recording of median makespan.
[[nodiscard]] forecast_table forecast_and_measure(workloads::workload& work,
                                                  const runtime_options& options, unsigned repeat);

[[nodiscard]] json to_json(const std::string& workload, const forecast_table& table);
[[nodiscard]] std::string to_text(const forecast_table& table);

}  // namespace evencube::cli
