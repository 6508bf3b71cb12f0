#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include <evencube/workloads/workload.hpp>

#include "measurement.hpp"

namespace evencube::cli {

/// EvenCube itself, as --engine has it.
inline constexpr const char* own_engine = "evencube";

/// --engine.
void add_engine_option(CLI::App& command, std::string& list);

/// The engines of a list such as "evencube,tbb,openmp" but EvenCube itself, each once and in that
/// order. Throws usage_error for names that are not known, for engines that this program was built
/// without (and says which are there), and for a list without EvenCube, which the others are
/// compared with.
[[nodiscard]] std::vector<std::string> listed_engines(const std::string& text);

/// One run of a workload's tasks by an engine other than EvenCube.
struct engine_sample {
  std::string engine;
  double seconds = 0;
  checked check;  ///< its text names the engine where it failed
};

/// Runs the tasks of `work` on `threads` threads that `engine` makes and keeps: with oneTBB an
/// arena and a range cut down to single tasks, with OpenMP a dynamic schedule of single tasks. Its
/// threads are bound to no unit, as is usual there. All of them are there before the clock starts,
/// and asleep again when this returns.
[[nodiscard]] engine_sample run_by_another(workloads::workload& work, const std::string& engine,
                                           unsigned threads, bool verify);

}  // namespace evencube::cli
