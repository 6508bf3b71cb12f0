#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <evencube/cluster.hpp>
#include <evencube/trace/machine_costs.hpp>

#include "simulation_arguments.hpp"

namespace evencube::cli {

/// Tasks between the first two ranks, one after the other: how long they and their results are on
/// their way. What it says is what a cluster takes, naps of its threads included, not what MPI
/// does.
class rank_link_measurement {
 public:
  /// Collective: registers a task.
  explicit rank_link_measurement(cluster& world);

  /// Collective. On rank 0 the medians; elsewhere, and where there is one rank, zero.
  [[nodiscard]] traces::rank_link measure();

 private:
  using cargo = std::vector<std::byte>;

  double round_trip(std::size_t bytes);

  cluster& world_;
  cluster_task<cargo, std::uint8_t> carry_;
};

/// Collective: `simulate --calibrate` with the link between ranks. Throws agreed_end.
void calibrate_over_ranks(cluster& world, const simulation_arguments& arguments);

}  // namespace evencube::cli
