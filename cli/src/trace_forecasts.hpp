#pragma once

#include <string>
#include <vector>

#include "checked_trace.hpp"
#include "console.hpp"

namespace evencube::cli {

/// A trace under another strategy, or on another number of workers.
struct trace_forecast {
  forecast replayed;
  std::string refused;  ///< why there is no replay; empty if there is one
};

/// The recorded configuration first; then well-known strategies on the recorded machine, and the
/// recorded strategy on half, twice and four times as many workers. Of a program of more than
/// 100000 tasks the first alone: replays take seconds.
[[nodiscard]] std::vector<trace_forecast> usual_forecasts(const checked_trace& given);

[[nodiscard]] json to_json(const std::vector<trace_forecast>& forecasts);

}  // namespace evencube::cli
