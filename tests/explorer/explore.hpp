#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "atomics.hpp"
#include "session.hpp"

namespace evencube::explorer {

struct outcome {
  /// What goes wrong, in which schedule, and how to see it again; empty if nothing does.
  std::string counterexample;
  std::uint64_t schedules = 0;
  /// Of which so many were told apart; 0 with random schedules.
  std::uint64_t states = 0;
  /// The bound that was reached: the preemptions of the counterexample, if there is one.
  unsigned preemptions = 0;
  /// Of the longest schedule.
  unsigned steps = 0;
  double seconds = 0;
};

/// Runs all schedules, those with fewest preemptions first, or random ones. Stops at the first that
/// goes wrong. EVENCUBE_EXPLORER_DEEPER=N adds N to the bound, or runs 8^N times as many random
/// schedules; EVENCUBE_EXPLORER_SHALLOWER=N takes N from it where nothing is wrong on purpose, or
/// runs 8^N times fewer; EVENCUBE_EXPLORER_REPLAY=<what a counterexample says> runs that schedule
/// alone and tells it.
outcome explore(const std::function<std::unique_ptr<scenario>()>& make,
                const exploration& how = {});

template <typename Scenario>
outcome explore(const exploration& how = {}) {
  return explore([] { return std::make_unique<Scenario>(); }, how);
}

/// For scenarios: ends the run if it does not hold.
inline void require(bool holds, const char* what) {
  if (!holds) session::current().fail(what);
}

}  // namespace evencube::explorer
