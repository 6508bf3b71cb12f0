#include <evencube/balancers/topology.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "topology_data.hpp"

namespace evencube {
namespace {

constexpr unsigned max_dimensions = 24;
constexpr unsigned max_order = 36;  // f_36 = 14930352 is the last below max_nodes

[[noreturn]] void refuse(const std::string& what, std::uint64_t value, std::uint64_t low,
                         std::uint64_t high) {
  throw std::invalid_argument(what + " is " + std::to_string(value) + ", allowed are " +
                              std::to_string(low) + " to " + std::to_string(high));
}

node_id checked_nodes(const char* name, std::uint64_t nodes) {
  if (nodes < 1 || nodes > topology::max_nodes) {
    refuse(std::string("the number of nodes of a ") + name, nodes, 1, topology::max_nodes);
  }
  return static_cast<node_id>(nodes);
}

}  // namespace

std::uint64_t fibonacci_number(unsigned n) {
  if (n > 90) refuse("the index of a Fibonacci number", n, 0, 90);
  std::uint64_t current = 0;
  std::uint64_t next = 1;
  for (; n > 0; --n) {
    const std::uint64_t sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

std::uint64_t zeckendorf_code(node_id i) {
  if (i >= fibonacci_number(max_order)) {
    refuse("a node of a Fibonacci cube", i, 0, fibonacci_number(max_order) - 1);
  }
  std::uint64_t code = 0;
  std::uint64_t rest = i;
  for (unsigned n = max_order; n >= 2 && rest > 0; --n) {
    const std::uint64_t f = fibonacci_number(n);
    if (f <= rest) {
      rest -= f;
      code |= std::uint64_t{1} << (n - 2);
    }
  }
  return code;
}

topology topology::hypercube(unsigned dimensions) {
  if (dimensions > max_dimensions) {
    refuse("the dimension of a hypercube", dimensions, 0, max_dimensions);
  }
  topology made(topology_kind::hypercube, node_id{1} << dimensions);
  made.dimensions_ = dimensions;
  return made;
}

topology topology::cube(std::uint64_t nodes) {
  topology made(topology_kind::cube, checked_nodes("cube", nodes));
  made.dimensions_ = static_cast<unsigned>(std::bit_width(made.nodes_ - 1));
  return made;
}

topology topology::grid(topology_kind kind, std::uint64_t rows, std::uint64_t columns) {
  topology made(kind, static_cast<node_id>(rows * columns));
  made.rows_ = static_cast<node_id>(rows);
  made.columns_ = static_cast<node_id>(columns);
  return made;
}

namespace {
void check_sides(const char* name, std::uint64_t rows, std::uint64_t columns) {
  for (const std::uint64_t side : {rows, columns}) {
    if (side < 1 || side > topology::max_nodes) {
      refuse(std::string("a side of a ") + name, side, 1, topology::max_nodes);
    }
  }
  checked_nodes(name, rows * columns);
}
}  // namespace

topology topology::mesh(std::uint64_t rows, std::uint64_t columns) {
  check_sides("mesh", rows, columns);
  return grid(topology_kind::mesh, rows, columns);
}

topology topology::torus(std::uint64_t rows, std::uint64_t columns) {
  check_sides("torus", rows, columns);
  return grid(topology_kind::torus, rows, columns);
}

topology topology::ring(std::uint64_t nodes) {
  return grid(topology_kind::ring, 1, checked_nodes("ring", nodes));
}

topology topology::linear(std::uint64_t nodes) {
  return grid(topology_kind::linear, 1, checked_nodes("linear array", nodes));
}

topology topology::complete(std::uint64_t nodes) {
  return {topology_kind::complete, checked_nodes("complete network", nodes)};
}

topology topology::star(std::uint64_t nodes) {
  return {topology_kind::star, checked_nodes("star", nodes)};
}

topology topology::zeckendorf(topology_kind kind, node_id nodes, unsigned order) {
  auto links = std::make_shared<adjacency>();
  auto& codes = links->codes;
  codes.reserve(nodes);
  codes.push_back(0);
  // The code of k is the bit of the largest Fibonacci number f that is not above k, together with
  // the code of k - f.
  for (unsigned bit = 0; codes.size() < nodes; ++bit) {
    const std::size_t f = fibonacci_steps[bit];
    const std::size_t next = std::min<std::size_t>(nodes, fibonacci_number(bit + 3));
    for (std::size_t k = f; k < next; ++k) codes.push_back(codes[k - f] | std::uint64_t{1} << bit);
  }
  topology made(kind, nodes);
  made.order_ = order;
  made.widest_ = (std::uint64_t{1} << std::bit_width(codes.back())) - 1;
  made.codes_ = codes.data();
  made.links_ = std::move(links);
  return made;
}

topology topology::fibonacci(unsigned order) {
  if (order < 1 || order > max_order) {
    refuse("the order of a Fibonacci cube", order, 1, max_order);
  }
  return zeckendorf(topology_kind::fibonacci, static_cast<node_id>(fibonacci_number(order)), order);
}

topology topology::fibonacci_composite(std::uint64_t nodes) {
  const std::uint64_t limit = fibonacci_number(max_order);
  if (nodes < 1 || nodes > limit) {
    refuse("the number of nodes of a Fibonacci composite", nodes, 1, limit);
  }
  return zeckendorf(topology_kind::fibonacci_composite, static_cast<node_id>(nodes), 0);
}

topology topology::from_edges(std::span<const std::pair<node_id, node_id>> links) {
  const auto named = [](node_id a, node_id b) {
    return std::to_string(a) + "-" + std::to_string(b);
  };
  if (links.empty()) throw std::invalid_argument("the list of edges is empty");
  node_id largest = 0;
  for (const auto& [a, b] : links) {
    if (a == b) throw std::invalid_argument("the edge " + named(a, b) + " is a loop");
    largest = std::max({largest, a, b});
  }
  if (largest >= max_nodes) refuse("a node of the list of edges", largest, 0, max_nodes - 1);
  const node_id nodes = largest + 1;
  if (links.size() + 1 < nodes) {
    throw std::invalid_argument("the edges do not connect the nodes 0 to " +
                                std::to_string(largest) + ": " + std::to_string(links.size()) +
                                " edges are too few");
  }
  auto made_links = std::make_shared<adjacency>();
  auto& offsets = made_links->offsets;
  offsets.assign(std::size_t{nodes} + 1, 0);
  for (const auto& [a, b] : links) {
    ++offsets[a + 1];
    ++offsets[b + 1];
  }
  for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
  made_links->targets.resize(links.size() * 2);
  auto next = offsets;
  for (const auto& [a, b] : links) {
    made_links->targets[next[a]++] = b;
    made_links->targets[next[b]++] = a;
  }
  for (node_id k = 0; k < nodes; ++k) {
    const auto first = made_links->targets.begin() + static_cast<std::ptrdiff_t>(offsets[k]);
    const auto last = made_links->targets.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]);
    std::sort(first, last);
    if (const auto twice = std::adjacent_find(first, last); twice != last) {
      throw std::invalid_argument("the edge " + named(std::min(k, *twice), std::max(k, *twice)) +
                                  " is named twice");
    }
  }
  topology made(topology_kind::edges, nodes);
  made.links_ = std::move(made_links);
  const auto distances = made.distances_from(0);
  if (const auto lost = std::find(distances.begin(), distances.end(), max_nodes);
      lost != distances.end()) {
    throw std::invalid_argument("the edges do not connect node 0 with node " +
                                std::to_string(lost - distances.begin()));
  }
  return made;
}

topology::few topology::grid_neighbours(node_id k) const noexcept {
  few found{{0, 0, 0, 0}, 0};
  const auto add = [&](node_id id) {
    if (id == k) return;
    node_id at = found.count;
    for (node_id i = 0; i < found.count; ++i) {
      if (found.id[i] == id) return;
      if (found.id[i] > id) {
        at = i;
        break;
      }
    }
    for (node_id i = found.count; i > at; --i) found.id[i] = found.id[i - 1];
    found.id[at] = id;
    ++found.count;
  };
  const node_id row = k / columns_;
  const node_id column = k % columns_;
  const node_id start = k - column;
  if (row > 0 || wraps()) add((row > 0 ? row - 1 : rows_ - 1) * columns_ + column);
  if (column > 0 || wraps()) add(start + (column > 0 ? column - 1 : columns_ - 1));
  if (column + 1 < columns_ || wraps()) add(start + (column + 1 < columns_ ? column + 1 : 0));
  if (row + 1 < rows_ || wraps()) add((row + 1 < rows_ ? row + 1 : 0) * columns_ + column);
  return found;
}

node_id topology::degree(node_id k) const {
  if (is_cube()) {
    node_id count = 0;
    for (unsigned i = 0; i < dimensions_; ++i) {
      if ((k ^ (node_id{1} << i)) < nodes_) ++count;
    }
    return count;
  }
  if (rows_ > 0) return grid_neighbours(k).count;
  if (kind_ == topology_kind::complete) return nodes_ - 1;
  if (kind_ == topology_kind::star) return k == 0 ? nodes_ - 1 : 1;
  if (is_zeckendorf()) {
    return static_cast<node_id>(std::popcount(codes_[k]) + std::popcount(addable_bits(k)));
  }
  return static_cast<node_id>(links_->offsets[k + 1] - links_->offsets[k]);
}

node_id topology::neighbour(node_id k, node_id i) const {
  if (is_cube()) {
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      const node_id other = k ^ (node_id{1} << dimension);
      if (other < nodes_ && i-- == 0) return other;
    }
    return k;
  }
  if (rows_ > 0) return grid_neighbours(k).id[i];
  if (kind_ == topology_kind::complete) return i < k ? i : i + 1;
  if (kind_ == topology_kind::star) return k == 0 ? i + 1 : 0;
  if (is_zeckendorf()) {
    node_id found = k;
    for_each_neighbour(k, [&](node_id other) {
      if (i-- == 0) found = other;
    });
    return found;
  }
  return links_->targets[links_->offsets[k] + i];
}

bool topology::adjacent(node_id a, node_id b) const {
  if (a >= nodes_ || b >= nodes_ || a == b) return false;
  if (is_cube()) return std::has_single_bit(a ^ b);
  if (kind_ == topology_kind::complete) return true;
  if (kind_ == topology_kind::star) return a == 0 || b == 0;
  if (rows_ > 0) {
    const few found = grid_neighbours(a);
    return std::find(found.id, found.id + found.count, b) != found.id + found.count;
  }
  if (is_zeckendorf()) return std::has_single_bit(codes_[a] ^ codes_[b]);
  const auto row = links_->targets.begin();
  return std::binary_search(row + static_cast<std::ptrdiff_t>(links_->offsets[a]),
                            row + static_cast<std::ptrdiff_t>(links_->offsets[a + 1]), b);
}

bool operator==(const topology& a, const topology& b) {
  if (a.kind_ != b.kind_ || a.nodes_ != b.nodes_ || a.rows_ != b.rows_ ||
      a.columns_ != b.columns_ || a.order_ != b.order_) {
    return false;
  }
  return a.kind_ != topology_kind::edges || a.links_ == b.links_ ||
         (a.links_->offsets == b.links_->offsets && a.links_->targets == b.links_->targets);
}

}  // namespace evencube
