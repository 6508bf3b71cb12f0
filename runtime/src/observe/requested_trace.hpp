#pragma once

#include <string>

namespace evencube::detail {

/// Returns the file for the trace of the next runtime, or an empty text if the environment asks for
/// none: the value of EVENCUBE_TRACE, made different for every runtime. `%p` in it stands for the
/// number of the process. From the second runtime of a process on, the runtime's number stands
/// before the last dot of the file's name. In a forked child the number of the process stands
/// there, too, unless the value has `%p`. Always empty in a program that runs with more rights than
/// its caller.
[[nodiscard]] std::string next_requested_trace();

/// Returns `value` as the file for runtime `number`, counted from 1, of the process `process`.
[[nodiscard]] std::string trace_file_for(const std::string& value, unsigned number, int process,
                                         bool forked);

}  // namespace evencube::detail
