#pragma once

#include <string>

#include "console.hpp"
#include "measurement.hpp"

namespace evencube::cli {

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

  /// The serial twin's time over the parallel run's.
  [[nodiscard]] double speedup() const;

  /// Speed-up per worker.
  [[nodiscard]] double efficiency() const;

  /// False only where a check failed, not where none was asked for.
  [[nodiscard]] bool good() const;
};

/// The keys of the command line's contract.
[[nodiscard]] json to_json(const run_report& report);

/// Tables for people: per worker, per dimension, and the times.
[[nodiscard]] std::string to_text(const run_report& report);

}  // namespace evencube::cli
