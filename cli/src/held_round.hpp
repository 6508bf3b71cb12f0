#pragma once

#include <CLI/App.hpp>

#include "run_arguments.hpp"

namespace evencube::cli {

/// `evencube run --hold`: queues tasks while all workers stand still, carries out one round, and
/// prints the loads before it, as planned, and after it. Throws usage_error for arguments that are
/// not allowed or do not belong to a held round, and std::runtime_error if the queues are further
/// from the plan than the runtime promises.
void run_held_round(const run_arguments& arguments, const CLI::App& command);

}  // namespace evencube::cli
