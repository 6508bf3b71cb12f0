#pragma once

#include <string>
#include <vector>

#include <evencube/evencube.hpp>
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

}  // namespace evencube::cli
