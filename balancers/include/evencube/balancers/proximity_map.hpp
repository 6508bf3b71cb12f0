#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The distance of every node from the nearest light node, or the diameter if no node is light. The
/// map is the fixed point of the paper's update rule (Loh et al. 1996), kept up to date as nodes
/// become light or cease to be light.
///
/// Each node counts its neighbours that are one hop nearer than itself. A node that loses the last
/// such neighbour increases its distance and notifies its neighbours, as in the paper; no other
/// node is visited. As long as nodes only cease to be light, distances only grow, and all changes
/// together visit each link at most `diameter` times. If there are many light nodes, each change
/// visits only a few links.
///
/// `Count` is the type of distances and neighbour counts. The smaller `Count` is, the more nodes
/// fit in a cache.
template <typename Count>
class proximity_map {
 public:
  /// Returns true if `Count` can hold the distances and degrees of the network.
  [[nodiscard]] static bool holds(const topology& graph) {
    constexpr auto most = (std::numeric_limits<Count>::max)() - node_id{2};
    return graph.diameter() <= most && graph.max_degree() <= most;
  }

  /// Makes the map of a network in which node k is light if is_light(k) is true. O(nodes + links).
  template <typename IsLight>
  proximity_map(const topology& graph, IsLight&& is_light) : graph_(graph) {
    start();
    for (node_id k = 0; k < graph.nodes(); ++k) {
      if (is_light(k)) light_[k] = 1;
    }
    measure();
  }

  /// Returns true if all distances equal the diameter, because no node is light.
  [[nodiscard]] bool saturated() const noexcept { return light_count_ == 0 || farthest_ == 0; }
  /// Returns the neighbour of k that is nearest to a light node; among several, the one with the
  /// lowest id. Precondition: k is not light, and the map is not saturated().
  [[nodiscard]] EVENCUBE_EXPORT node_id nearest_neighbour(node_id k) const;
  /// Returns the distance of node k from the nearest light node.
  [[nodiscard]] node_id proximity(node_id k) const noexcept { return proximity_[k]; }
  /// Returns the diameter, the initial distance of all nodes.
  [[nodiscard]] node_id farthest() const noexcept { return farthest_; }
  /// Makes node k light, or not light if `light` is false.
  EVENCUBE_EXPORT void set_light(node_id k, bool light);
  /// Returns the nodes that notified their neighbours of a new distance because of the last
  /// set_light(). A node appears once for each notification.
  [[nodiscard]] std::span<const node_id> changed() const noexcept { return changed_; }

 private:
  EVENCUBE_EXPORT void start();
  EVENCUBE_EXPORT void measure();
  void count_supports(node_id k);
  void come_nearer(node_id k);
  void move_away(node_id k);
  void list_reached();

  const topology& graph_;
  node_id farthest_ = 0;
  std::size_t light_count_ = 0;
  std::vector<Count> proximity_;
  std::vector<Count> supports_;  // each node's count of nearer neighbours
  std::vector<std::uint8_t> light_;
  std::vector<node_id> queue_;
  std::vector<node_id> changed_;
  std::vector<std::vector<node_id>> buckets_;
};

}  // namespace evencube
