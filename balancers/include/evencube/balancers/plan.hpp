#pragma once

#include <cstdint>
#include <vector>

namespace evencube {

/// A node of a topology: a worker of the runtime or a processor of the simulator, in [0, nodes).
using node_id = std::uint32_t;

/// A number of quanta (equal, independent units of work). Never negative in a load vector.
using load_type = std::int64_t;

/// `quanta` units that travel over the link from `from` to `to`. quanta >= 1 and from != to.
struct transfer {
  node_id from;
  node_id to;
  load_type quanta;

  friend bool operator==(const transfer&, const transfer&) = default;
};

/// Transfers that happen at the same time. Each node sends only quanta that it held when the phase
/// began.
using phase = std::vector<transfer>;

/// A balancer's decision: phases, carried out in order. Every plan conserves the total, never sends
/// more than a node holds at the start of the phase, and uses only links of its topology.
struct plan {
  std::vector<phase> phases;

  friend bool operator==(const plan&, const plan&) = default;
};

}  // namespace evencube
