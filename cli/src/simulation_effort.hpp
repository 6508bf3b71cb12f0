#pragma once

#include <cstddef>
#include <cstdint>
#include <evencube/simulator/model.hpp>

namespace evencube::cli {

/// Estimates from the numbers of tasks, calls of the clock and samples what a simulation will cost;
/// what loads trigger is not foreseen. Tells the user of what takes minutes. Throws usage_error for
/// what would take hours on `threads` processors (0: all), unless that is allowed, and for periods
/// that the simulation's clock would not notice.
void check_effort(const simulator::model& what, std::size_t replications, std::uint64_t seed,
                  unsigned threads, bool hours_allowed);

}  // namespace evencube::cli
