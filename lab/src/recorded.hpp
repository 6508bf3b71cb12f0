#pragma once

#include <string>

#include "request.hpp"

namespace evencube::lab {

/// Reads a recording from the bytes of its file, and keeps its rounds for requests. Returns the
/// facts about it. If the recording is damaged, larger than the limits of the lab or without
/// rounds, the recording that was kept before stays. Throws refusal and traces::trace_error then.
json keep_recording(std::string bytes);

/// Returns facts about the recording that is kept, or, if the request has `from`, some of its
/// rounds. Throws refusal if there is no recording or no such round.
[[nodiscard]] json recorded(const json& request);

/// Gives the memory of the recording back.
json forget_recording(const json& request);

}  // namespace evencube::lab
