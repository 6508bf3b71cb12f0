#pragma once

#include <CLI/App.hpp>
#include <string>

#include <evencube/workloads/workload.hpp>

namespace evencube::cli {

/// The workload by name, as the first argument of a command.
void add_workload_name(CLI::App& command, std::string& name);

/// --placement.
void add_placement_option(CLI::App& command, std::string& placement);

/// What a workload takes: --size, --tile, --input and so on.
void add_workload_options(CLI::App& command, workloads::workload_options& options);

/// The option that says how much work there is, to be named where memory does not suffice.
[[nodiscard]] std::string input_of(const std::string& workload,
                                   const workloads::workload_options& options);

}  // namespace evencube::cli
