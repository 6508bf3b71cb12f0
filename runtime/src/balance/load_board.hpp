#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <evencube/balancing.hpp>
#include <evencube/detail/engine_fwd.hpp>

#include "balance/speed_meter.hpp"
#include "balance/strategy.hpp"

namespace evencube::detail {

/// What a planner is told of the workers: their loads, their speeds, and how long their tasks took.
/// The workers write their parts of it as they go (queue, mailbox, counters); one reads at a time.
class load_board {
 public:
  /// Whose loads, and how fast each worker is relative to the others; how fast it is at the moment,
  /// too, if that is measured.
  void begin(all_workers& of, std::vector<double> speeds, bool measures_speeds);
  /// Null: speeds are not measured.
  [[nodiscard]] speed_meter* meter() noexcept { return meter_ ? &*meter_ : nullptr; }

  /// Writes the loads of now into the round and, as far as the strategy asks for them, capacities
  /// and the service times that `measure` found.
  void read_into(balancing_round& round, const strategy& asking) const;

  /// Largest load over the mean; 1 where nothing is queued.
  [[nodiscard]] double imbalance() const noexcept;

  /// Before a round: mean time between two ends of tasks since the last call (Loh et al. 1996,
  /// Pred), and speeds.
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
