#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atomics.hpp"
#include "session.hpp"

namespace evencube::explorer {

struct exploration {
  memory_model model = memory_model::sequential;
  /// How often a thread may be interrupted that could go on, counting as one every store that
  /// reaches memory late, while another thread runs. At most 14.
  unsigned preemptions = 2;
  std::vector<mutation> mutations{};
  /// A schedule longer than this is taken for one that does not end.
  unsigned steps = 2000;
};

struct outcome {
  /// What goes wrong, in which schedule, and how to see it again; empty if nothing does.
  std::string counterexample;
  std::uint64_t schedules = 0;
  std::uint64_t states = 0;
  /// The bound that was reached: the preemptions of the counterexample, if there is one.
  unsigned preemptions = 0;
  double seconds = 0;
};

/// Runs all schedules, those with fewest preemptions first. Stops at the first that goes wrong.
/// EVENCUBE_EXPLORER_DEEPER=N adds N to the bound; EVENCUBE_EXPLORER_REPLAY=<what a counterexample
/// says> runs that schedule alone and tells it.
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
