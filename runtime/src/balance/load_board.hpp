#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/balancing.hpp>
#include <evencube/detail/engine_fwd.hpp>

#include "balance/speed_meter.hpp"
#include "balance/strategy.hpp"

namespace evencube::detail {

/// The smallest and the largest cost of the queued tasks; 1 and 1 if there are none.
struct cost_range {
  load_type least = 1;
  load_type most = 1;
};

/// The input of a planner: the loads and speeds of the workers, and how long their tasks took. The
/// workers write their parts as they run (queue, mailbox, counters). One thread at a time reads.
class load_board {
 public:
  /// Sets the workers to read, and the relative speed of each; also whether to measure their
  /// present speeds.
  void begin(all_workers& workers, std::vector<double> speeds, bool measures_speeds);
  /// The meter of the workers' present speeds; null if speeds are not measured.
  [[nodiscard]] speed_meter* meter() noexcept { return meter_ ? &*meter_ : nullptr; }

  /// Writes the unit of the round and the present loads, counted in this unit. If the strategy asks
  /// for them, also writes capacities and the service times found by `measure`. `costs` are those
  /// of the queued tasks. The task that the worker `dry` runs, if there is such a worker, waits and
  /// is no load.
  void read_into(balancing_round& round, const strategy& asking, const cost_range& costs,
                 std::optional<node_id> dry) const;

  /// Judges the queues by the mean costs of their tasks, while tasks run. If the means are equal
  /// and whole, all tasks are taken to cost that. O(workers).
  [[nodiscard]] cost_range estimated_costs() const noexcept;
  /// Reads the cost of every queued task. All workers stand still. O(tasks).
  [[nodiscard]] cost_range exact_costs() const noexcept;

  /// The largest load divided by the mean; 1 if nothing is queued.
  [[nodiscard]] double imbalance() const noexcept;

  /// Call before a round: finds the mean time between two ends of tasks since the last call (Loh et
  /// al. 1996, Pred), and the speeds.
  void measure(const strategy& asking);

 private:
  all_workers* workers_ = nullptr;
  std::vector<double> speeds_;
  bool alike_ = true;
  std::optional<speed_meter> meter_;
  std::vector<std::uint64_t> executed_before_;
  std::vector<double> service_times_;
  std::int64_t measured_at_ = 0;
};

}  // namespace evencube::detail
