#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// How far every node is from the nearest light one, at most the diameter: the fixed point of the
/// paper's update rule (Loh et al. 1996), kept while nodes become light and cease to be.
///
/// Each node counts the neighbours that are one nearer than it is. A node that loses the last of
/// them moves away and tells its neighbours, as in the paper; nobody else is looked at. As long as
/// light nodes only cease to be, distances only grow: all changes together then look at each link
/// at most `diameter` times, and at a few of them for each change where light nodes are many.
///
/// `Count` holds a distance and a number of neighbours: the smaller, the more nodes fit a cache.
template <typename Count>
class proximity_map {
 public:
  /// Whether the distances and degrees of a network fit.
  [[nodiscard]] static bool holds(const topology& graph) {
    constexpr auto most = (std::numeric_limits<Count>::max)() - node_id{2};
    return graph.diameter() <= most && graph.max_degree() <= most;
  }

  /// is_light(k) for every node. O(nodes + links).
  template <typename IsLight>
  proximity_map(const topology& graph, IsLight&& is_light) : graph_(graph) {
    start();
    for (node_id k = 0; k < graph.nodes(); ++k) {
      if (is_light(k)) light_[k] = 1;
    }
    measure();
  }

  /// All are at the diameter: nobody is light.
  [[nodiscard]] bool saturated() const noexcept { return light_count_ == 0 || farthest_ == 0; }
  /// The neighbour of least proximity, of several the one with the least id. Precondition: k is not
  /// light, and not saturated().
  [[nodiscard]] EVENCUBE_EXPORT node_id nearest_neighbour(node_id k) const;
  [[nodiscard]] node_id proximity(node_id k) const noexcept { return proximity_[k]; }
  /// What everybody begins with: the diameter.
  [[nodiscard]] node_id farthest() const noexcept { return farthest_; }
  /// Says what k is from now on.
  EVENCUBE_EXPORT void set_light(node_id k, bool light);
  /// The nodes that have told their neighbours a new distance because of the last set_light(): each
  /// as often as it had to.
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
  std::vector<Count> supports_;  // neighbours one nearer
  std::vector<std::uint8_t> light_;
  std::vector<node_id> queue_;
  std::vector<node_id> changed_;
  std::vector<std::vector<node_id>> buckets_;
};

}  // namespace evencube
