#pragma once

#include <optional>
#include <string>
#include <vector>

#include <evencube/workloads/workload.hpp>

namespace evencube::cli {

/// One run of a workload's tasks by an engine other than EvenCube.
struct engine_sample {
  double seconds = 0;
  std::optional<workloads::verification> check;  ///< its text names the engine where it failed
};

/// Runs the tasks of `work` on `threads` threads of `engine` (as of listed_engines). All threads
/// are there before the clock starts, and asleep again when this returns.
[[nodiscard]] engine_sample run_by_another(workloads::workload& work, const std::string& engine,
                                           unsigned threads, bool verify);

}  // namespace evencube::cli
