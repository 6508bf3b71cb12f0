#pragma once

#include <cstdint>
#include <vector>

#include "mutation.hpp"

namespace evencube::explorer {

/// How stores reach memory. `sequential`: at once. `store_buffers`: as on x86, through a buffer of
/// each thread that empties in order and at any time, but before a read-modify-write, a seq_cst
/// store or a sleep at the latest. `weak`: as the C++ standard allows, where loads may give older
/// values and stores come late unless the memory orders in the code forbid it.
enum class memory_model : std::uint8_t { sequential, store_buffers, weak };

/// What to explore, and how far.
struct exploration {
  memory_model model = memory_model::sequential;
  /// The most preemptions in a schedule, at most 14. Four kinds of events count: a thread that
  /// could go on is interrupted; a store reaches memory late, while another thread runs; a timed
  /// sleep ends while others could go on; a spin goes on although others could. With random
  /// schedules, the number of steps at which priorities change.
  unsigned preemptions = 2;
  std::vector<mutation> mutations{};
  /// A schedule longer than this number of steps, at most 65000, counts as one that does not end.
  unsigned steps = 2000;
  /// In the weak model: how often a load may give an older value, or a store come before the last
  /// store.
  unsigned old_values = 2;
  /// How often a weak compare-and-swap or a try_lock may fail without a reason.
  unsigned failures = 1;
  /// false: timed sleeps last until another thread wakes them. This finds sleeps that only the time
  /// limit would end.
  bool time_outs = true;
  /// If not 0, the number of random schedules that run instead of all schedules.
  std::uint64_t random_schedules = 0;
  std::uint64_t seed = 1;
};

}  // namespace evencube::explorer
