#pragma once

#include <string>

#include "comparison.hpp"
#include "console.hpp"

namespace evencube::cli {

/// The keys of `evencube compare --json`. Times in seconds.
[[nodiscard]] json to_json(const comparison& made);

/// A row for each contender, a column for each cell: its time over the best strategy's.
[[nodiscard]] std::string to_text(const comparison& made);

/// The same as a picture, SVG: the darker, the further from the best.
[[nodiscard]] std::string heat_map(const comparison& made);

}  // namespace evencube::cli
