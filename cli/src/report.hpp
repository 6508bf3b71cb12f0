#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "measurement.hpp"
#include "other_engines.hpp"

namespace evencube::cli {

/// What `run` and `demo` tell about one way of running one workload.
struct run_report {
  std::string workload;
  runtime_options options;
  std::string placement;
  unsigned workers = 0;
  double serial_seconds = 0;
  sample measured;
  std::vector<engine_sample> others = {};  ///< the same tasks, on as many threads as workers

  /// The serial twin's time over the parallel run's.
  [[nodiscard]] double speedup() const;

  /// Speed-up per worker.
  [[nodiscard]] double efficiency() const;

  /// The first check that failed, one of another engine's, too, or else that of EvenCube's run.
  [[nodiscard]] const checked& check() const;
};

/// One object for each engine: its time and speed-up, and its time over EvenCube's.
[[nodiscard]] json to_json(const std::vector<engine_sample>& others, double serial_seconds,
                           double own_seconds);

/// The keys of the command line's contract.
[[nodiscard]] json to_json(const run_report& report);

/// Tables for people: per worker, per dimension, and the times.
[[nodiscard]] std::string to_text(const run_report& report);

}  // namespace evencube::cli
