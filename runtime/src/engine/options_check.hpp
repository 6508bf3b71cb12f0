#pragma once

#include <evencube/machine.hpp>
#include <evencube/runtime.hpp>
#include <string>

namespace evencube::detail {

/// Fills in what is automatic, says why there are so many workers, and refuses what is not allowed
/// (std::invalid_argument).
runtime_options checked_options(runtime_options options, const machine& on, std::string& reason);

/// Throws std::invalid_argument for a balancer that consists of pulls where they are off.
void check_pulls(const std::string& balancer, bool pulls);

}  // namespace evencube::detail
