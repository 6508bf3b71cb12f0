#pragma once

namespace evencube::cli {

/// What `run --cluster` and `simulate --calibrate --cluster` are done by: a program of its own
/// beside this one, so that no other command starts with MPI's libraries, which take longer to load
/// than most of them run, nor needs them to be installed.
inline constexpr const char* ranks_program = "evencube-ranks";

/// Goes on as that program if the arguments ask for it. Returns if they do not, or if it is not
/// there.
void go_on_as_ranks_program(int count, char** arguments);

/// Where it was asked for and this program still goes on. Throws usage_error.
[[noreturn]] void refuse_without_ranks_program();

}  // namespace evencube::cli
