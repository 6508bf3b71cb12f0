#pragma once

#include <cstdint>
#include <vector>

#include "mutation.hpp"

namespace evencube::explorer {

/// How stores reach memory: at once; or, as on x86, through a buffer of each thread that empties in
/// order and at any time, and at the latest before a read-modify-write, a seq_cst store or a sleep;
/// or as the C++ standard allows: loads may give older values and stores come late wherever the
/// orders that the code names do not forbid it.
enum class memory_model : std::uint8_t { sequential, store_buffers, weak };

/// What to explore, and how far.
struct exploration {
  memory_model model = memory_model::sequential;
  /// How often a thread may be interrupted that could go on, counting as one every store that
  /// reaches memory late, while another thread runs, every timed sleep that ends while others could
  /// go on, and every spin that goes on though others could. At most 14. With random schedules the
  /// number of steps at which priorities change.
  unsigned preemptions = 2;
  std::vector<mutation> mutations{};
  /// A schedule longer than this, at most 65000, is taken for one that does not end.
  unsigned steps = 2000;
  /// How often, in the weak model, a load may give an older value or a store come in before the
  /// last one.
  unsigned old_values = 2;
  /// How often a weak compare-and-swap or a try_lock may fail for nothing.
  unsigned failures = 1;
  /// False: timed sleeps last until somebody wakes them, so that one that would be slept through if
  /// it were not for the time is found.
  bool time_outs = true;
  /// If not 0, so many schedules by chance instead of all.
  std::uint64_t random_schedules = 0;
  std::uint64_t seed = 1;
};

}  // namespace evencube::explorer
