// The text of networks, and what a network tells of itself.

#include <evencube/balancers/topology.hpp>
#include <stdexcept>

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  constexpr std::uint64_t most_nodes = 2000;
  try {
    const auto graph = topology::parse(fuzz::text_of(data, size), most_nodes);
    fuzz::require(graph.nodes() >= 1 && graph.nodes() <= most_nodes, "the size is in range");
    fuzz::require(topology::parse(graph.to_string()) == graph, "its text reads back");
    std::uint64_t ends = 0;
    for (node_id k = 0; k < graph.nodes(); ++k) {
      node_id count = 0;
      graph.for_each_neighbour(k, [&](node_id other) {
        fuzz::require(other < graph.nodes() && other != k, "a neighbour is another node");
        fuzz::require(graph.neighbour(k, count) == other, "neighbours are counted in one order");
        ++count;
      });
      fuzz::require(count == graph.degree(k), "a node has as many neighbours as links");
      ends += count;
    }
    fuzz::require(ends == 2 * graph.edges(), "a link has two ends");
    fuzz::require(graph.nodes() == 1 || graph.diameter() >= 1, "different nodes lie apart");
    fuzz::require(graph.average_distance() <= graph.diameter(), "no mean is above the largest");
    fuzz::require(graph.distance(0, graph.nodes() - 1) <= graph.diameter(), "nor is any");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
