#pragma once

#include <string>

#include "speedup.hpp"

namespace evencube::cli {

/// What Gustafson's fractions of a weak scaling say, and what that makes of the Karp-Flatt metric.
[[nodiscard]] std::string weak_meaning_of(const speedup_report& report);

/// The table of a weak scaling.
[[nodiscard]] std::string weak_table(const speedup_report& report);

/// What stands below the table whatever was measured: how the problem grew, what the columns are.
[[nodiscard]] std::string weak_notes(const speedup_report& report);

/// As to_csv() of speedup_report.hpp, with the columns of a weak scaling.
[[nodiscard]] std::string weak_csv(const speedup_report& report);

}  // namespace evencube::cli
