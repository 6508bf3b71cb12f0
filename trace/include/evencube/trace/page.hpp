#pragma once

#include <string_view>

#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::traces {

/// Writes an HTML page to `to`: one file that shows the tasks, waits, moves, rounds, regions and
/// counters of the trace in any browser, without network access. The caller adds an analysis in
/// `about`, a JSON object with
///
/// - `figures`, as `evencube trace --json` prints them,
/// - `sentence`, the reason why the run was not shorter,
/// - `what_if`, forecasts in the form of `evencube trace --json`,
/// - `critical`, the numbers of the tasks on the critical path,
/// - `origin`, if more is known about the recording: an object with the strings `date`, `machine`
///   and `command` and the number `bytes`, each of which may be missing.
///
/// Throws std::invalid_argument if `about` is not such an object, and the exceptions of `to`. O(n
/// log n) for n entries.
EVENCUBE_EXPORT void write_page(const trace& shown, std::string_view about, const byte_sink& to);

}  // namespace evencube::traces
