#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include <evencube/workloads/task_loop.hpp>

namespace evencube::cli {

/// EvenCube itself, as --engine has it.
inline constexpr const char* own_engine = "evencube";

/// --engine.
void add_engine_option(CLI::App& command, std::string& list);

/// What --engine may name in this program, EvenCube itself first.
[[nodiscard]] std::vector<std::string> engines_here();

/// The engines of a list such as "evencube,tbb,openmp" but EvenCube itself, each once and in that
/// order. Throws usage_error for names that are not known, for engines that this program was built
/// without (and says which are there), and for a list without EvenCube, which the others are
/// compared with.
[[nodiscard]] std::vector<std::string> listed_engines(const std::string& text);

/// The engine's loop over tasks on `threads` threads that it makes and keeps: with oneTBB an arena
/// and a range cut down to single tasks, with OpenMP a dynamic schedule of single tasks. Its
/// threads are bound to no unit, as is usual there.
[[nodiscard]] workloads::task_loop loop_of(const std::string& engine, unsigned threads);

}  // namespace evencube::cli
