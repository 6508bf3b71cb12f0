#pragma once

#include <filesystem>
#include <string>

#include <evencube/evencube.hpp>
#include <evencube/simulator/trace.hpp>

#include "calibration.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

/// The recording of a workload as a trace; the makespan is the time from the start of its first
/// task to the end of its last. `costs`: of the machine it ran on.
[[nodiscard]] simulator::trace trace_of(const recording& take, const runtime& workers,
                                        const std::string& workload, const runtime_options& options,
                                        const machine_costs& costs);

/// A file that is to appear whole or not at all: written under another name beside it, then
/// renamed. What is not kept is removed.
class new_file {
 public:
  /// Makes the other file. Throws usage_error if that is not possible.
  explicit new_file(std::filesystem::path path);
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file();

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& draft() const noexcept { return draft_; }
  /// Gives the file its name. Throws std::filesystem::filesystem_error.
  void keep();

 private:
  std::filesystem::path path_;
  std::filesystem::path draft_;
};

}  // namespace evencube::cli
