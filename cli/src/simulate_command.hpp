#pragma once

#include <CLI/App.hpp>

#include "machine_file.hpp"
#include "simulation_arguments.hpp"

namespace evencube::cli {

/// Adds `simulate` with all its options, which write into `arguments`, and its help. `arguments`
/// outlives the application.
CLI::App* add_simulate_arguments(CLI::App& app, simulation_arguments& arguments);

/// What can be wrong with --calibrate, before anything is measured. Throws usage_error.
void require_calibration(const simulation_arguments& arguments);

/// Writes and prints what was measured.
void tell_calibration(const simulation_arguments& arguments, const machine_costs& machine);

}  // namespace evencube::cli
