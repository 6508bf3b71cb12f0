#include <algorithm>
#include <array>
#include <bit>

#include <evencube/balancers/topology.hpp>

#include "topology_data.hpp"

namespace evencube {
namespace {

node_id gap(node_id a, node_id b) { return a < b ? b - a : a - b; }

/// The sum of distances over the ordered pairs of a path (or cycle) of n nodes.
double sum_of_gaps(node_id n, bool wraps) {
  const double size = n;
  if (!wraps) return size * (size * size - 1.0) / 3.0;
  const std::uint64_t per_node = std::uint64_t{n} * n / 4;
  return size * static_cast<double>(per_node);
}

/// The number of ids in 0 .. nodes-1 that have this bit set.
std::uint64_t ids_with_bit(std::uint64_t nodes, unsigned bit) {
  const std::uint64_t half = std::uint64_t{1} << bit;
  const std::uint64_t rest = nodes & (2 * half - 1);
  return (nodes >> (bit + 1)) * half + (rest > half ? rest - half : 0);
}

/// The largest Hamming distance between two Zeckendorf codes of ids 0 .. last. Walks both codes
/// from the top bit. State: the previous bit of each, and whether each still equals `last` so far.
node_id zeckendorf_diameter(std::uint64_t last) {
  constexpr int none = -1;
  std::array<int, 16> best;
  best.fill(none);
  best[0b1100] = 0;  // bits: a tight, b tight, a's previous bit, b's previous bit
  for (int bit = static_cast<int>(std::bit_width(last)) - 1; bit >= 0; --bit) {
    const auto limit = static_cast<unsigned>(last >> bit & 1U);
    std::array<int, 16> next;
    next.fill(none);
    for (unsigned state = 0; state < 16; ++state) {
      if (best[state] == none) continue;
      for (unsigned a = 0; a < 2; ++a) {
        for (unsigned b = 0; b < 2; ++b) {
          const bool a_tight = (state & 8U) != 0;
          const bool b_tight = (state & 4U) != 0;
          if ((a == 1 && (state & 2U) != 0) || (b == 1 && (state & 1U) != 0)) continue;
          if ((a_tight && a > limit) || (b_tight && b > limit)) continue;
          const unsigned to =
              (a_tight && a == limit ? 8U : 0U) | (b_tight && b == limit ? 4U : 0U) | a << 1U | b;
          next[to] = std::max(next[to], best[state] + (a != b ? 1 : 0));
        }
      }
    }
    best = next;
  }
  return static_cast<node_id>(*std::max_element(best.begin(), best.end()));
}

}  // namespace

std::vector<node_id> topology::distances_from(node_id a) const {
  std::vector<node_id> distance(nodes_, max_nodes);
  std::vector<node_id> queue{a};
  queue.reserve(nodes_);
  distance[a] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const node_id k = queue[head];
    for_each_neighbour(k, [&](node_id other) {
      if (distance[other] != max_nodes) return;
      distance[other] = distance[k] + 1;
      queue.push_back(other);
    });
  }
  return distance;
}

node_id topology::distance(node_id a, node_id b) const {
  if (a == b) return 0;
  if (is_cube()) return static_cast<node_id>(std::popcount(a ^ b));
  if (kind_ == topology_kind::complete) return 1;
  if (kind_ == topology_kind::star) return a == 0 || b == 0 ? 1 : 2;
  if (rows_ > 0) {
    const node_id down = gap(a / columns_, b / columns_);
    const node_id across = gap(a % columns_, b % columns_);
    if (!wraps()) return down + across;
    return std::min(down, rows_ - down) + std::min(across, columns_ - across);
  }
  // First clearing the bits of a that b lacks, and then setting those that a lacks, keeps every
  // code on the way legal and no larger than the ends: initial segments of Fibonacci cubes are
  // isometric.
  if (is_zeckendorf()) {
    return static_cast<node_id>(std::popcount(codes_[a] ^ codes_[b]));
  }
  return distances_from(a)[b];
}

void topology::shortest_path(node_id a, node_id b, std::vector<node_id>& path) const {
  path.clear();
  path.push_back(a);
  if (a == b) return;
  if (is_cube()) {
    // First down: the ids on the way never exceed the larger end, so they all exist.
    for (node_id bits = a & ~b; bits != 0; bits &= bits - 1) {
      path.push_back(path.back() ^ (bits & (~bits + 1)));
    }
    for (node_id bits = b & ~a; bits != 0; bits &= bits - 1) {
      path.push_back(path.back() ^ (bits & (~bits + 1)));
    }
    return;
  }
  if (kind_ == topology_kind::edges) {
    const auto to_end = distances_from(b);
    while (path.back() != b) {
      const node_id here = path.back();
      node_id step = here;
      for_each_neighbour(here, [&](node_id other) {
        if (step == here && to_end[other] + 1 == to_end[here]) step = other;
      });
      path.push_back(step);
    }
    return;
  }
  while (path.back() != b) {
    const node_id here = path.back();
    if (adjacent(here, b)) {
      path.push_back(b);
      return;
    }
    const node_id left = distance(here, b);
    const node_id count = degree(here);
    for (node_id i = 0; i < count; ++i) {
      const node_id other = neighbour(here, i);
      if (distance(other, b) < left) {
        path.push_back(other);
        break;
      }
    }
  }
}

node_id topology::diameter() const {
  if (nodes_ == 1) return 0;
  // The ids 2^(d-1) and 2^(d-1) - 1 differ in every bit, and both exist in every cube of dimension
  // d.
  if (is_cube()) return dimensions_;
  if (kind_ == topology_kind::complete) return 1;
  if (kind_ == topology_kind::star) return nodes_ > 2 ? 2 : 1;
  if (rows_ > 0) return wraps() ? rows_ / 2 + columns_ / 2 : rows_ + columns_ - 2;
  if (is_zeckendorf()) return zeckendorf_diameter(codes_[nodes_ - 1]);
  return all_hops().largest;
}

double topology::average_distance() const {
  if (nodes_ == 1) return 0.0;
  const double n = nodes_;
  const double pairs = n * (n - 1.0);
  if (kind_ == topology_kind::complete) return 1.0;
  if (kind_ == topology_kind::star) return (2.0 * (n - 1.0) + 2.0 * (n - 1.0) * (n - 2.0)) / pairs;
  if (rows_ > 0) {
    const double r = rows_;
    const double c = columns_;
    return (c * c * sum_of_gaps(rows_, wraps()) + r * r * sum_of_gaps(columns_, wraps())) / pairs;
  }
  if (is_cube() || is_zeckendorf()) {
    // Hamming distances: every bit contributes twice the product of the numbers of its zeros and
    // ones.
    std::array<std::uint64_t, 64> ones{};
    if (is_cube()) {
      for (unsigned bit = 0; bit < dimensions_; ++bit) ones[bit] = ids_with_bit(nodes_, bit);
    } else {
      for (node_id k = 0; k < nodes_; ++k) {
        for (std::uint64_t bits = codes_[k]; bits != 0; bits &= bits - 1) {
          ++ones[static_cast<unsigned>(std::countr_zero(bits))];
        }
      }
    }
    double sum = 0.0;
    for (const std::uint64_t count : ones) {
      sum += 2.0 * static_cast<double>(count) * static_cast<double>(nodes_ - count);
    }
    return sum / pairs;
  }
  return all_hops().sum / pairs;
}

topology::hops topology::all_hops() const {
  return links_->targets.size() == 2 * (std::size_t{nodes_} - 1) ? hops_of_tree()
                                                                 : hops_of_network();
}

// Each link is crossed by the pairs that it divides. The longest path has its middle at some node.
topology::hops topology::hops_of_tree() const {
  std::vector<node_id> parent(nodes_, max_nodes);
  std::vector<node_id> order{0};
  order.reserve(nodes_);
  for (std::size_t head = 0; head < order.size(); ++head) {
    for_each_neighbour(order[head], [&](node_id other) {
      if (other == parent[order[head]]) return;
      parent[other] = order[head];
      order.push_back(other);
    });
  }
  hops found{0, 0};
  std::vector<node_id> size(nodes_, 1);
  std::vector<node_id> height(nodes_, 0);  // of what was seen below a node so far
  for (std::size_t i = order.size(); i-- > 1;) {
    const node_id k = order[i];
    const node_id above = parent[k];
    found.sum += 2.0 * size[k] * (nodes_ - size[k]);
    found.largest = std::max(found.largest, height[above] + height[k] + 1);
    size[above] += size[k];
    height[above] = std::max(height[above], height[k] + 1);
  }
  return found;
}

topology::hops topology::hops_of_network() const {
  hops found{0, 0};
  std::vector<node_id> distance(nodes_);
  std::vector<node_id> queue(nodes_);
  for (node_id start = 0; start < nodes_; ++start) {
    std::fill(distance.begin(), distance.end(), max_nodes);
    distance[start] = 0;
    queue[0] = start;
    std::uint64_t sum = 0;
    for (node_id head = 0, tail = 1; head < tail; ++head) {
      const node_id k = queue[head];
      const node_id next = distance[k] + 1;
      for (std::uint64_t i = links_->offsets[k]; i < links_->offsets[k + 1]; ++i) {
        node_id& other = distance[links_->targets[i]];
        if (other != max_nodes) continue;
        other = next;
        sum += next;
        queue[tail++] = links_->targets[i];
      }
    }
    found.sum += static_cast<double>(sum);
    found.largest = std::max(found.largest, distance[queue[nodes_ - 1]]);
  }
  return found;
}

std::map<node_id, std::uint64_t> topology::degree_histogram() const {
  std::map<node_id, std::uint64_t> histogram;
  std::array<std::uint64_t, 64> counts{};  // a map for each node would take most of the time
  for (node_id k = 0; k < nodes_; ++k) {
    const node_id links = degree(k);
    ++(links < counts.size() ? counts[links] : histogram[links]);
  }
  for (node_id links = 0; links < counts.size(); ++links) {
    if (counts[links] > 0) histogram[links] = counts[links];
  }
  return histogram;
}

std::uint64_t topology::edges() const {
  if (kind_ == topology_kind::complete) return std::uint64_t{nodes_} * (nodes_ - 1) / 2;
  if (kind_ == topology_kind::hypercube) return std::uint64_t{nodes_} / 2 * dimensions_;
  std::uint64_t ends = 0;
  for (node_id k = 0; k < nodes_; ++k) ends += degree(k);
  return ends / 2;
}

node_id topology::max_degree() const {
  if (kind_ == topology_kind::hypercube) return dimensions_;
  if (kind_ == topology_kind::complete) return nodes_ - 1;
  node_id largest = 0;
  for (node_id k = 0; k < nodes_; ++k) largest = std::max(largest, degree(k));
  return largest;
}

}  // namespace evencube
