#pragma once

#include "request.hpp"

namespace evencube::lab {

/// Returns the table of Loh et al. 1996: the performance of five strategies on four networks, as
/// means over some runs.
[[nodiscard]] json strategies_compared(const json& request);

}  // namespace evencube::lab
