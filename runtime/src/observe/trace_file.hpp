#pragma once

#include <cstdint>
#include <string>

#include <evencube/recording.hpp>
#include <evencube/runtime.hpp>

namespace evencube::detail {

/// The runtime that was recorded, as a trace file describes it.
struct recorded_runtime {
  std::string program;             ///< the name of the program in outputs
  const runtime_options& options;  ///< checked, without automatic values
  bool idle_leads = true;          ///< idle workers lead rounds, not a thread
};

/// Returns the content of a trace file with this recording. docs/recording.md describes the format.
/// The component `trace` writes the same format from the same data, and reads it. Times begin with
/// the first task, and the costs of balancing are the nominal ones. Throws evencube::error if a
/// spare worker had a task, because a trace has no places for spare workers.
[[nodiscard]] std::string trace_bytes(recording take, const recorded_runtime& recorded);

/// Throws evencube::error, which names the file and the reason, unless a trace can be written to
/// `file`.
void require_trace_file(const std::string& file);

/// Writes the trace `bytes` to `file`, which appears under its name when it is complete: as a page
/// if the name ends in `.html`, for Perfetto if it ends in `.json`, and otherwise as it is. Throws
/// evencube::error, which names the file and the reason.
void write_trace_file(const std::string& file, const std::string& bytes);

/// Returns what opens the file, for people.
[[nodiscard]] std::string how_to_look_at(const std::string& file);

}  // namespace evencube::detail
