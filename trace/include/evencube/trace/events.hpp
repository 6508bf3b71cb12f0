#pragma once

#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::traces {

/// Writes a trace to `to` in the Chrome trace event format (JSON), which Perfetto and Chrome's
/// tracing open. Each worker has a track with its tasks, their waits, and the tasks sent to other
/// workers. A track of rounds has the loads before and after each round. Each migration is an arrow
/// from the task's old worker to the worker that ran the task. Times are in microseconds. Throws
/// the exceptions of `to`. O(n log n) for n entries.
EVENCUBE_EXPORT void write_events(const trace& recorded, const byte_sink& to);

}  // namespace evencube::traces
