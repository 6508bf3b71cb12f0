#pragma once

#include <string>

#include "speedup.hpp"

namespace evencube::cli {

/// The report as a picture in SVG. One chart has the speed-up with its spread, the ideal, the
/// machine's limit and the forecast (dashed); the chart next to it has the efficiency.
[[nodiscard]] std::string speedup_plot(const speedup_report& report);

}  // namespace evencube::cli
