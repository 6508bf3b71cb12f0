#pragma once

#include <evencube/trace/trace.hpp>

namespace evencube::cli {

/// Says in a recording that was just made when, on which machine and by which command of this
/// program that was.
void describe_origin(traces::trace& recorded);

}  // namespace evencube::cli
