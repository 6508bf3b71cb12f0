#pragma once

#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/pages/trace_figures.hpp>
#include <evencube/simulator/statistics.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>
#include <evencube/workloads/workload.hpp>

#include "machine_file.hpp"

namespace evencube::cli {

/// The recording of a workload as a trace; the makespan is the time from the start of its first
/// task to the end of its last. `costs`: of the machine it ran on.
[[nodiscard]] traces::trace trace_of(const recording& take, const runtime& workers,
                                     const std::string& workload, const runtime_options& options,
                                     const machine_costs& costs);

/// Runs the workload once under these options, recorded.
[[nodiscard]] traces::trace record(workloads::workload& work, const runtime_options& options,
                                   const machine_costs& costs);

/// The trace of median makespan, the shorter of the two in the middle. There must be one.
[[nodiscard]] traces::trace median_trace(std::vector<traces::trace> all);

/// A configuration of a recorded program and what its replay gave.
struct forecast {
  simulator::what_if configuration;
  bool recorded = false;
  simulator::result outcome;
};

using pages::checked_trace;

/// Reads a trace, replays it and plans its rounds again. Throws usage_error, beginning with the
/// file's name, for a file that is no trace, contradicts itself, holds no work, or whose program
/// never ends.
[[nodiscard]] checked_trace read_checked_trace(const std::string& file);

}  // namespace evencube::cli
