#pragma once

#include <string>

#include "comparison.hpp"
#include "console.hpp"

namespace evencube::cli {

/// The keys of `evencube compare --json`. Times in seconds.
[[nodiscard]] json to_json(const comparison& made);

/// "skewed 16", with a star behind the number if it is a forecast.
[[nodiscard]] std::string heading_of(const comparison_cell& cell);

/// What `edges, machine hybrid` and the like stand for: the cells from `first` on that share
/// program and machine. Returns the index behind the last of them.
[[nodiscard]] std::size_t end_of_block(const comparison& made, std::size_t first);
[[nodiscard]] std::string name_of_block(const comparison& made, std::size_t first);

/// A row for each contender, a column for each cell: its time over the best strategy's; and how the
/// strategies stand.
[[nodiscard]] std::string to_text(const comparison& made);

}  // namespace evencube::cli
