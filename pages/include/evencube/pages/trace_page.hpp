#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include <evencube/pages/trace_figures.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::pages {

/// Returns a time in the format `2026-11-28 07:05 UTC`.
[[nodiscard]] std::string date_text(std::time_t time);

/// Returns the figures as one JSON object, the output of `evencube trace --json`. Times are in
/// seconds.
[[nodiscard]] std::string figures_json(const checked_trace& given, const trace_figures& figures);

/// The facts known about a recording's file.
struct recording_file {
  std::optional<std::time_t> time;  ///< when the file was written
  std::uint64_t bytes = 0;
};

/// Writes an HTML page to `to`: one file that shows the trace in any browser, without network
/// access. The page has the trace's figures and, for at most 100000 tasks, replays under other
/// strategies. A recording without a date is shown with its file's time. Throws the exceptions of
/// `to`.
void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const recording_file& from, const traces::byte_sink& to);

}  // namespace evencube::pages
