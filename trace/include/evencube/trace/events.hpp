#pragma once

#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::traces {

/// Gives a trace to `to` in the Chrome trace event format (JSON), which Perfetto and Chrome's
/// tracing open: a track for each worker with its tasks, their waits, and what was sent away; a
/// track of rounds with the loads before and after; each migration as an arrow from where the task
/// lay to where it ran. Times in microseconds. Throws what `to` throws. O(n log n) for n entries.
EVENCUBE_EXPORT void write_events(const trace& recorded, const byte_sink& to);

}  // namespace evencube::traces
