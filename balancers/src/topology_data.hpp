#pragma once

#include <cstdint>
#include <vector>

#include <evencube/balancers/topology.hpp>

namespace evencube {

/// Links of an irregular network in compressed rows: the neighbours of k are
/// targets[offsets[k]] .. targets[offsets[k+1]-1], ascending.
struct topology::adjacency {
  std::vector<std::uint64_t> offsets;
  std::vector<node_id> targets;
  /// Zeckendorf codes of the nodes, empty for edge lists.
  std::vector<std::uint32_t> codes;
};

}  // namespace evencube
