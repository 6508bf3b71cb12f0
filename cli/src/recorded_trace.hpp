#pragma once

#include <string>

#include <evencube/evencube.hpp>
#include <evencube/trace/trace.hpp>

#include "machine_file.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

/// The recording of a workload as a trace; the makespan is the time from the start of its first
/// task to the end of its last. `costs`: of the machine it ran on.
[[nodiscard]] traces::trace trace_of(const recording& take, const runtime& workers,
                                     const std::string& workload, const runtime_options& options,
                                     const machine_costs& costs);

}  // namespace evencube::cli
