#pragma once

#include <ctime>
#include <string>

#include <evencube/trace/trace.hpp>

namespace evencube::cli {

/// `2026-11-28 07:05 UTC`.
[[nodiscard]] std::string date_text(std::time_t time);

/// Says in a recording that was just made when, on which machine and by which command of this
/// program that was.
void describe_origin(traces::trace& recorded);

}  // namespace evencube::cli
