#pragma once

#include <evencube/simulator/statistics.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>
#include <string>

namespace evencube::cli {

/// A configuration of a recorded program and what its replay gave.
struct forecast {
  simulator::what_if configuration;
  bool recorded = false;
  simulator::result outcome;
};

/// What a trace says, with its own configuration replayed: all of it is checked before any of it is
/// shown or used for something else.
struct checked_trace {
  traces::trace source;
  simulator::task_graph program;
  forecast recorded;
  simulator::round_check rounds;

  /// |replayed - measured| / measured makespan of the recorded configuration.
  [[nodiscard]] double forecast_error() const;
};

/// Reads a trace, replays it and plans its rounds again. Throws usage_error, beginning with the
/// file's name, for a file that is no trace, contradicts itself, holds no work, or whose program
/// never ends.
[[nodiscard]] checked_trace read_checked_trace(const std::string& file);

}  // namespace evencube::cli
