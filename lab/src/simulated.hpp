#pragma once

#include "request.hpp"

namespace evencube::lab {

/// Returns samples of a simulation between two of its events, and its result if it ends there. The
/// answer depends on the request alone. If the request goes on where the last one of the same
/// scenario ended, the simulation need not begin again.
[[nodiscard]] json simulated(const json& request);

}  // namespace evencube::lab
