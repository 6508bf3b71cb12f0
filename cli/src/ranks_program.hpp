#pragma once

#include <fmt/core.h>

#include "failure.hpp"

namespace evencube::cli {

/// What `run --cluster` and `simulate --calibrate --cluster` are done by: a program of its own
/// beside this one, so that no other command starts with MPI's libraries, which take longer to load
/// than most of them run, nor needs them to be installed.
inline constexpr const char* ranks_program = "evencube-ranks";

/// Where it was asked for and this program still goes on. Throws usage_error.
[[noreturn]] inline void refuse_without_ranks_program() {
  throw usage_error{fmt::format(
      "--cluster: {} is not beside this program: it is built where MPI and cereal are found",
      ranks_program)};
}

}  // namespace evencube::cli
