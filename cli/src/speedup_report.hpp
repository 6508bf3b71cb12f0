#pragma once

#include <string>

#include "console.hpp"
#include "speedup.hpp"

namespace evencube::cli {

/// What explains a row: fewer units than workers, a speed-up above the machine's limit. A line
/// each.
[[nodiscard]] std::string remarks_on(const speedup_report& report);

/// `one round`, or of how many the medians are.
[[nodiscard]] std::string rounds_text(const speedup_report& report);

[[nodiscard]] json to_json(const speedup_report& report);
/// A line of names and one for each number of workers; empty where there is no value.
[[nodiscard]] std::string to_csv(const speedup_report& report);
[[nodiscard]] std::string to_text(const speedup_report& report);

}  // namespace evencube::cli
