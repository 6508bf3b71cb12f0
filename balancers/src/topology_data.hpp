#pragma once

#include <cstdint>
#include <vector>

#include <evencube/balancers/topology.hpp>

namespace evencube {

/// The data of an irregular network.
struct topology::adjacency {
  /// For an edge list, in compressed rows: the neighbours of k are targets[offsets[k]] ..
  /// targets[offsets[k+1]-1], ascending.
  std::vector<std::uint64_t> offsets;
  std::vector<node_id> targets;
  /// For a Fibonacci cube: the Zeckendorf codes of its nodes.
  std::vector<std::uint64_t> codes;
};

}  // namespace evencube
