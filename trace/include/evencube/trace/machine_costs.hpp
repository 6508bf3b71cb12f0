#pragma once

#include <cstdint>

namespace evencube::traces {

/// The links between nodes. A transfer of q quanta over one link takes latency + q * per_quantum.
struct link_model {
  double latency = 0;
  double per_quantum = 0;
  /// false: a node uses all its links at once. true: one transfer at a time, in or out; the steps
  /// of a transmission then follow each other even where it would overlap them.
  bool one_port = false;

  friend bool operator==(const link_model&, const link_model&) = default;
};

/// Processor time that balancing takes away from tasks.
struct cost_model {
  double measure = 0;           ///< to compute a load, a threshold or a plan, per node
  double send = 0;              ///< per message sent
  double receive = 0;           ///< per message received
  double transfer_send = 0;     ///< per task, at the node that gives it away
  double transfer_receive = 0;  ///< per task, at the node that takes it

  friend bool operator==(const cost_model&, const cost_model&) = default;
};

/// What goes from rank to rank of a cluster: from the sender's call until the task begins there.
/// Seconds, of a message and of each byte.
struct rank_link {
  double latency = 0;
  double per_byte = 0;

  friend bool operator==(const rank_link&, const rank_link&) = default;
};

/// What balancing costs on one machine, as it was measured there. Seconds, finite and >= 0.
struct machine_costs {
  cost_model costs = {};
  link_model links = {};
  /// How many workers took part; 0 if nothing was measured.
  std::uint32_t workers = 0;
  /// Zero if it was not measured. Recordings have none.
  rank_link ranks = {};

  friend bool operator==(const machine_costs&, const machine_costs&) = default;
};

/// Of no machine in particular, where none was measured.
inline constexpr machine_costs nominal_costs{
    .costs = {.measure = 1e-7, .transfer_send = 2e-8, .transfer_receive = 2e-8}};

}  // namespace evencube::traces
