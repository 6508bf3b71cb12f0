#pragma once

#include <string>

#include "comparison.hpp"

namespace evencube::cli {

/// The tables as a heat map: the darker, the further from the best strategy of the column. Blocks
/// of program and machine below each other; forecasts have their number of workers starred.
[[nodiscard]] std::string heat_map_svg(const comparison& made);

}  // namespace evencube::cli
