#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "atomics.hpp"
#include "session.hpp"

namespace evencube::explorer {

struct outcome {
  /// The fault, the schedule that shows it, and how to replay it; empty if there is no fault.
  std::string counterexample;
  std::uint64_t schedules = 0;
  /// The number of different states in the schedules; 0 with random schedules.
  std::uint64_t states = 0;
  /// The bound that was reached: if there is a counterexample, its preemptions.
  unsigned preemptions = 0;
  /// The number of steps of the longest schedule.
  unsigned steps = 0;
  double seconds = 0;
};

/// Runs all schedules, those with the fewest preemptions first, or random ones. Stops at the first
/// faulty schedule. Environment variables:
/// EVENCUBE_EXPLORER_DEEPER=N adds N to the bound, or runs 8^N times as many random schedules.
/// EVENCUBE_EXPLORER_SHALLOWER=N subtracts N from the bound, or runs 8^N times fewer random
/// schedules, unless the scenario has an intended bug.
/// EVENCUBE_EXPLORER_REPLAY=<text of a counterexample> runs only that schedule, and prints it.
outcome explore(const std::function<std::unique_ptr<scenario>()>& make,
                const exploration& how = {});

template <typename Scenario>
outcome explore(const exploration& how = {}) {
  return explore([] { return std::make_unique<Scenario>(); }, how);
}

/// For scenarios: ends the run if the condition does not hold.
inline void require(bool holds, const char* what) {
  if (!holds) session::current().fail(what);
}

}  // namespace evencube::explorer
