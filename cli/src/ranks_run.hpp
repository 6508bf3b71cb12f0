#pragma once

#include <evencube/cluster.hpp>

#include "run_arguments.hpp"

namespace evencube::cli {

/// Collective: runs a workload over the ranks, and rank 0 writes and reports. Throws agreed_end.
/// `local`: of the runtime of this rank.
void run_over_ranks(cluster& world, const run_arguments& arguments, const runtime_options& local);

}  // namespace evencube::cli
