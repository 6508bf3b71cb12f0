#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "engine_runs.hpp"
#include "measurement.hpp"

namespace evencube::cli {

/// The same tasks by an engine other than EvenCube: the run of median time; with a failed check, if
/// any run failed.
struct engine_report {
  std::string engine;
  engine_sample measured;

  [[nodiscard]] bool good() const { return !measured.check || measured.check->passed; }
};

/// Makes that of one or more runs.
[[nodiscard]] engine_report engine_report_of(std::string engine,
                                             std::vector<engine_sample> samples);

/// What `run` and `demo` tell about one way of running one workload.
struct run_report {
  std::string workload;
  std::string balancer;
  std::string transmission;
  std::string placement;
  unsigned workers = 0;
  balancer_mode mode = balancer_mode::automatic;
  bool pulls = true;
  double serial_seconds = 0;
  sample measured;
  std::vector<engine_report> others = {};  ///< with as many threads as workers

  /// The serial twin's time over the parallel run's.
  [[nodiscard]] double speedup() const;

  /// Speed-up per worker.
  [[nodiscard]] double efficiency() const;

  /// False only where a check failed, one of another engine's, too; not where none was asked for.
  [[nodiscard]] bool good() const;

  /// What the first failed check says, or the check of EvenCube's run.
  [[nodiscard]] std::string detail() const;
};

/// One object for each engine: its time and speed-up, and its time over EvenCube's.
[[nodiscard]] json to_json(const std::vector<engine_report>& others, double serial_seconds,
                           double own_seconds);

/// The keys of the command line's contract.
[[nodiscard]] json to_json(const run_report& report);

/// Tables for people: per worker, per dimension, and the times.
[[nodiscard]] std::string to_text(const run_report& report);

}  // namespace evencube::cli
