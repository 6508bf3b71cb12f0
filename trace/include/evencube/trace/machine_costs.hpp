#pragma once

#include <cstdint>

namespace evencube::traces {

/// The timing of a link between nodes. A transfer of q quanta over one link takes latency + q *
/// per_quantum.
struct link_model {
  double latency = 0;
  double per_quantum = 0;
  /// If false, a node uses all its links simultaneously. If true, a node makes one transfer at a
  /// time, in or out, and steps follow one another, even under a transmission that overlaps steps.
  bool one_port = false;

  friend bool operator==(const link_model&, const link_model&) = default;
};

/// The processor time that balancing takes away from tasks.
struct cost_model {
  double measure = 0;           ///< time to compute a load, a threshold or a plan, per node
  double send = 0;              ///< time per message sent
  double receive = 0;           ///< time per message received
  double transfer_send = 0;     ///< time per task at the sending node
  double transfer_receive = 0;  ///< time per task at the receiving node

  friend bool operator==(const cost_model&, const cost_model&) = default;
};

/// The costs of a message between ranks of a cluster, from the sender's call until the task begins
/// on the other rank, in seconds per message and per byte.
struct rank_link {
  double latency = 0;
  double per_byte = 0;

  friend bool operator==(const rank_link&, const rank_link&) = default;
};

/// The measured costs of balancing on one machine, in seconds. All are finite and >= 0.
struct machine_costs {
  cost_model costs = {};
  link_model links = {};
  /// The number of workers that took part in the measurement; 0 if nothing was measured.
  std::uint32_t workers = 0;
  /// The costs of messages between ranks; zero if they were not measured. Recordings do not contain
  /// these costs.
  rank_link ranks = {};

  friend bool operator==(const machine_costs&, const machine_costs&) = default;
};

/// The costs to use if none were measured. They describe no particular machine.
inline constexpr machine_costs nominal_costs{
    .costs = {.measure = 1e-7, .transfer_send = 2e-8, .transfer_receive = 2e-8}};

}  // namespace evencube::traces
