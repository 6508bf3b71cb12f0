#pragma once

#include <string>
#include <vector>

#include "speedup.hpp"

namespace evencube::cli {

/// What the serial fractions mean, of a weak scaling Gustafson's, in a sentence or two.
[[nodiscard]] std::string meaning_of(const speedup_report& report);

struct speedup_forecast {
  unsigned workers = 0;
  double speedup = 0;
};

/// Twice and four times the most workers that were measured, by Amdahl's law with the serial
/// fraction measured there, or Gustafson's; nothing where that is not within 0 and 1.
[[nodiscard]] std::vector<speedup_forecast> forecasts_of(const speedup_report& report);

}  // namespace evencube::cli
