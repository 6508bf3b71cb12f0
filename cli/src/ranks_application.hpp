#pragma once

namespace evencube::cli {

/// `run --cluster` or `simulate --calibrate --cluster` on one rank, all of which are called with
/// the same arguments. Only rank 0 reads input, writes and reports; what is wrong anywhere is said
/// once, and all ranks return the same.
int run_as_rank(int count, char** arguments) noexcept;

}  // namespace evencube::cli
