#pragma once

#include <string_view>

#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::traces {

/// Gives a page in HTML to `to` that shows the trace in any browser: one file, no network. The
/// trace's tasks, waits, moves, rounds, regions and counters it shows by itself; what follows from
/// them is the caller's: `about` is an object in JSON with
///
/// - `figures`, as `evencube trace --json` prints them,
/// - `sentence`, what kept the run from being shorter, in words,
/// - `what_if`, forecasts, as `evencube trace --json` has them,
/// - `critical`, the numbers of the tasks on the critical path.
///
/// Throws std::invalid_argument if `about` is no such object, and what `to` throws. O(n log n) for
/// n entries.
EVENCUBE_EXPORT void write_page(const trace& shown, std::string_view about, const byte_sink& to);

}  // namespace evencube::traces
