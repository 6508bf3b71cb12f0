#pragma once

#include <fmt/core.h>

#include "failure.hpp"

namespace evencube::cli {

/// The program that carries out `run --cluster` and `simulate --calibrate --cluster`. It is a
/// separate program in the same folder as `evencube`, so that no other command loads MPI's
/// libraries, which takes longer than most commands run, or needs them to be installed.
inline constexpr const char* ranks_program = "evencube-ranks";

/// Refuses --cluster after this program could not be replaced by the ranks program. Throws
/// usage_error.
[[noreturn]] inline void refuse_without_ranks_program() {
  throw usage_error{fmt::format(
      "--cluster: {} is not in this program's folder; it is built only if MPI and cereal are found",
      ranks_program)};
}

}  // namespace evencube::cli
