#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace evencube::detail {

/// Returns the rank of each process if ranks are numbered node by node, so that the low dimensions
/// of the cube join ranks of one node. `node_of` has a number for each process, which is the same
/// for processes of one node. Nodes come in the order of their first processes, and the processes
/// of a node in their own order.
[[nodiscard]] inline std::vector<unsigned> ranks_by_node(std::span<const unsigned> node_of) {
  std::vector<std::size_t> first(node_of.size());
  for (std::size_t k = 0; k < node_of.size(); ++k) {
    first[k] = static_cast<std::size_t>(std::ranges::find(node_of, node_of[k]) - node_of.begin());
  }
  std::vector<std::size_t> processes(node_of.size());
  std::iota(processes.begin(), processes.end(), std::size_t{0});
  std::ranges::stable_sort(processes, {}, [&](std::size_t k) { return first[k]; });
  std::vector<unsigned> ranks(node_of.size());
  for (unsigned rank = 0; rank < processes.size(); ++rank) ranks[processes[rank]] = rank;
  return ranks;
}

}  // namespace evencube::detail
