#pragma once

#include <string>

#include "comparison.hpp"
#include "console.hpp"

namespace evencube::cli {

/// The keys of `evencube compare --json`. Times in seconds.
[[nodiscard]] json to_json(const comparison& made);

/// "skewed 16", with a star behind the number if it is a forecast.
[[nodiscard]] std::string heading_of(const comparison_cell& cell);

/// A row for each contender, a column for each cell: its time over the best strategy's; and how the
/// strategies stand.
[[nodiscard]] std::string to_text(const comparison& made);

/// The tables as a heat map: the darker, the further from the best strategy of the column. Blocks
/// of program and machine below each other; forecasts have their number of workers starred.
[[nodiscard]] std::string heat_map_svg(const comparison& made);

}  // namespace evencube::cli
