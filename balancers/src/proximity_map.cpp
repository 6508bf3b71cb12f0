#include <evencube/balancers/proximity_map.hpp>

#include <algorithm>

namespace evencube {

template <typename Count>
void proximity_map<Count>::start() {
  farthest_ = graph_.diameter();
  proximity_.resize(graph_.nodes());
  supports_.resize(graph_.nodes());
  light_.assign(graph_.nodes(), 0);
}

template <typename Count>
void proximity_map<Count>::measure() {
  std::fill(proximity_.begin(), proximity_.end(), static_cast<Count>(farthest_));
  std::fill(supports_.begin(), supports_.end(), Count{0});
  queue_.clear();
  light_count_ = 0;
  // A node next to a light node finds that itself, by reading its neighbours. If many nodes are
  // light, this settles all nodes, and the light nodes need not visit their neighbours.
  for (node_id k = 0; k < graph_.nodes(); ++k) {
    if (light_[k] != 0) {
      proximity_[k] = 0;
      ++light_count_;
      continue;
    }
    Count supports = 0;
    graph_.for_each_neighbour(k, [&](node_id other) { supports += light_[other]; });
    if (supports == 0) continue;
    proximity_[k] = 1;
    supports_[k] = supports;
    queue_.push_back(k);
  }
  if (light_count_ + queue_.size() == graph_.nodes()) return;
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const node_id k = queue_[head];
    const auto next = static_cast<Count>(proximity_[k] + 1);
    graph_.for_each_neighbour(k, [&](node_id other) {
      if (proximity_[other] < next) return;
      // While it has no support, a node at the diameter may be one that was not reached yet.
      if (proximity_[other] > next || supports_[other] == 0) {
        proximity_[other] = next;
        queue_.push_back(other);
      }
      ++supports_[other];
    });
  }
}

template <typename Count>
node_id proximity_map<Count>::nearest_neighbour(node_id k) const {
  // The distances of neighbours differ by one at most, and some neighbour is nearer than k.
  const auto nearer = [&](node_id other) { return proximity_[other] < proximity_[k]; };
  if (!graph_.is_cube()) {
    node_id i = 0;
    while (!nearer(graph_.neighbour(k, i))) ++i;
    return graph_.neighbour(k, i);
  }
  // In the order of ascending ids: first without the highest bits that k has, then with the lowest
  // bits that it lacks.
  for (unsigned i = graph_.dimensions(); i-- > 0;) {
    const node_id other = k ^ node_id { 1 } << i;
    if (other < k && nearer(other)) return other;
  }
  for (unsigned i = 0;; ++i) {
    const node_id other = k ^ node_id { 1 } << i;
    if (other > k && other < graph_.nodes() && nearer(other)) return other;
  }
}

template <typename Count>
void proximity_map<Count>::set_light(node_id k, bool light) {
  changed_.clear();
  if ((light_[k] != 0) == light) return;
  light_[k] = light ? 1 : 0;
  if (light && light_count_ > 0) {
    come_nearer(k);
  } else if (!light && light_count_ > 1) {
    --light_count_;
    move_away(k);
  } else if (light) {
    measure();
    list_reached();
  } else {
    list_reached();
    measure();
  }
}

template <typename Count>
void proximity_map<Count>::list_reached() {
  for (node_id k = 0; k < graph_.nodes(); ++k) {
    if (proximity_[k] != farthest_) changed_.push_back(k);
  }
}

template <typename Count>
void proximity_map<Count>::count_supports(node_id k) {
  Count count = 0;
  graph_.for_each_neighbour(k, [&](node_id other) {
    if (proximity_[other] + 1U == proximity_[k]) ++count;
  });
  supports_[k] = count;
}

template <typename Count>
void proximity_map<Count>::come_nearer(node_id k) {
  ++light_count_;
  proximity_[k] = 0;
  queue_.assign(1, k);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const node_id at = queue_[head];
    graph_.for_each_neighbour(at, [&](node_id other) {
      const auto next = static_cast<Count>(proximity_[at] + 1);
      if (proximity_[other] <= next) return;
      proximity_[other] = next;
      queue_.push_back(other);
    });
  }
  changed_ = queue_;
  for (const node_id changed : changed_) {
    count_supports(changed);
    graph_.for_each_neighbour(changed, [&](node_id other) { count_supports(other); });
  }
}

/// Nodes without support rise by one, level by level. A node that rises supports the nodes that are
/// now one above it, and no longer those that are now level with it.
template <typename Count>
void proximity_map<Count>::move_away(node_id k) {
  if (buckets_.size() < std::size_t{farthest_} + 1) buckets_.resize(std::size_t{farthest_} + 1);
  buckets_[0].push_back(k);
  for (node_id level = 0; level < farthest_ && !buckets_[level].empty(); ++level) {
    for (const node_id rising : buckets_[level]) {
      proximity_[rising] = static_cast<Count>(level + 1);
      changed_.push_back(rising);
      Count supports = 0;
      graph_.for_each_neighbour(rising, [&](node_id other) {
        const node_id distance = proximity_[other];
        if (distance == level) {
          ++supports;
        } else if (distance == level + 1) {
          if (--supports_[other] == 0) buckets_[level + 1].push_back(other);
        } else if (distance == level + 2) {
          ++supports_[other];
        }
      });
      supports_[rising] = supports;
      if (supports == 0) buckets_[level + 1].push_back(rising);
    }
    buckets_[level].clear();
  }
}

template class proximity_map<std::uint8_t>;
template class proximity_map<std::uint32_t>;

}  // namespace evencube
