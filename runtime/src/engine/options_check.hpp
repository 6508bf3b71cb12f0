#pragma once

#include <evencube/machine.hpp>
#include <evencube/runtime.hpp>
#include <string>

namespace evencube::detail {

/// Replaces automatic values, writes the reason for the number of workers, and throws
/// std::invalid_argument for values that are not allowed.
runtime_options checked_options(runtime_options options, const machine& hardware,
                                std::string& reason);

/// Throws std::invalid_argument if pulls are off and the balancer moves tasks by pulls alone.
void check_pulls(const std::string& balancer, bool pulls);

}  // namespace evencube::detail
