#pragma once

#include <string>
#include <vector>

#include <evencube/live_sampler.hpp>

#include "console.hpp"

namespace evencube::cli {

/// A sample for a terminal, a line each: the whole, a bar for every worker, the moves over each
/// dimension. No line is longer than the screen is wide, and there are fewer lines than it has
/// rows: of more workers the last ones share a line. `elapsed`: seconds since the run began.
[[nodiscard]] std::vector<std::string> live_lines(const live_sample& sample,
                                                  const std::string& stage, double elapsed,
                                                  screen_size screen);

/// The same as one line of text, however long, for a file or a pipe.
[[nodiscard]] std::string live_line(const live_sample& sample, const std::string& stage,
                                    double elapsed);

}  // namespace evencube::cli
