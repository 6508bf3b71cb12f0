#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The families of networks. `cube` is a possibly incomplete hypercube with any number of nodes.
enum class topology_kind {
  hypercube,
  cube,
  mesh,
  torus,
  ring,
  linear,
  complete,
  star,
  fibonacci,
  fibonacci_composite,
  edges
};

// A friend declaration cannot be marked as exported.
class topology;
[[nodiscard]] EVENCUBE_EXPORT bool operator==(const topology& a, const topology& b);

/// A connected, undirected network of nodes 0 .. nodes()-1 without loops or double links.
///
/// Regular networks are implicit: a hypercube of 2^20 nodes takes a few dozen bytes. Fibonacci
/// cubes keep a code of 8 bytes for each node, and edge lists keep their adjacency, O(nodes +
/// edges); copies of a topology share this memory. A topology is immutable once made, and many
/// threads may read it. All functions that make a topology throw std::invalid_argument for an
/// invalid value; the message names the value and the allowed range.
class topology {
 public:
  /// The largest number of nodes of a network.
  static constexpr node_id max_nodes = node_id{1} << 24;

  /// Makes the hypercube of 2^dimensions nodes, where node k is linked to node k xor 2^i.
  /// `dimensions` must be in [0, 24].
  [[nodiscard]] EVENCUBE_EXPORT static topology hypercube(unsigned dimensions);
  /// Makes a network of a hypercube's first `nodes` nodes and the links among them. `nodes` must be
  /// in [1, max_nodes].
  [[nodiscard]] EVENCUBE_EXPORT static topology cube(std::uint64_t nodes);
  /// Makes a grid of rows x columns, where r * columns + c is the node in row r and column c.
  /// `rows` and `columns` must be >= 1, and their product <= max_nodes.
  [[nodiscard]] EVENCUBE_EXPORT static topology mesh(std::uint64_t rows, std::uint64_t columns);
  /// Makes a mesh with wrap-around links. A side of 2 nodes has one link; a side of 1 node has
  /// none.
  [[nodiscard]] EVENCUBE_EXPORT static topology torus(std::uint64_t rows, std::uint64_t columns);
  /// Makes a cycle, with one link for 2 nodes and none for 1 node.
  [[nodiscard]] EVENCUBE_EXPORT static topology ring(std::uint64_t nodes);
  /// Makes a linear array of `nodes` nodes.
  [[nodiscard]] EVENCUBE_EXPORT static topology linear(std::uint64_t nodes);
  /// Makes a complete network of `nodes` nodes.
  [[nodiscard]] EVENCUBE_EXPORT static topology complete(std::uint64_t nodes);
  /// Makes a star of `nodes` nodes, whose centre is node 0.
  [[nodiscard]] EVENCUBE_EXPORT static topology star(std::uint64_t nodes);
  /// Makes the Fibonacci cube of the given order (Loh et al. 1996, Table A). The number of nodes is
  /// the Fibonacci number f_order (f_1 = f_2 = 1). Two nodes are linked if their Zeckendorf codes
  /// differ in one bit. `order` must be in [1, 36].
  [[nodiscard]] EVENCUBE_EXPORT static topology fibonacci(unsigned order);
  /// Makes the first `nodes` nodes of a larger Fibonacci cube; 16 nodes give the composite of Loh
  /// et al. 1996, Table 1. `nodes` must be in [1, max_nodes].
  [[nodiscard]] EVENCUBE_EXPORT static topology fibonacci_composite(std::uint64_t nodes);
  /// Makes a connected network from its links. Its nodes have the ids from 0 to the largest id in
  /// `links`. Refuses loops, links named twice (in either direction) and networks that are not
  /// connected.
  [[nodiscard]] EVENCUBE_EXPORT static topology from_edges(
      std::span<const std::pair<node_id, node_id>> links);

  /// Makes the network described by a string such as `hypercube:3`, `mesh:4x4`, `torus:3x5`,
  /// `ring:8`, `linear:8`, `complete:8`, `star:8`, `fibonacci:6`, `fibonacci-composite:16`,
  /// `cube:6` or `edges:0-1,1-2`. A network of more than `most_nodes` nodes is refused before any
  /// part of it is made.
  [[nodiscard]] EVENCUBE_EXPORT static topology parse(std::string_view text,
                                                      std::uint64_t most_nodes = max_nodes);
  /// Returns the string from which parse() makes an equal network.
  [[nodiscard]] EVENCUBE_EXPORT std::string to_string() const;

  /// Returns the family of the network.
  [[nodiscard]] topology_kind kind() const noexcept { return kind_; }
  /// Returns the number of nodes.
  [[nodiscard]] node_id nodes() const noexcept { return nodes_; }
  /// Returns the number of rows of a mesh or torus; 1 for a ring or linear array, otherwise 0.
  [[nodiscard]] node_id rows() const noexcept { return rows_; }
  /// Returns the number of columns of a mesh or torus; nodes() for a ring or linear array,
  /// otherwise 0.
  [[nodiscard]] node_id columns() const noexcept { return columns_; }

  /// Returns true if the links are those of a (possibly incomplete) hypercube.
  [[nodiscard]] bool is_cube() const noexcept {
    return kind_ == topology_kind::hypercube || kind_ == topology_kind::cube;
  }
  /// Returns the smallest d with nodes() <= 2^d if the network is a cube, otherwise 0.
  [[nodiscard]] unsigned dimensions() const noexcept { return dimensions_; }

  /// Returns the number of links at node k. O(1); on cubes O(d), on Fibonacci cubes O(order).
  [[nodiscard]] EVENCUBE_EXPORT node_id degree(node_id k) const;
  /// Returns the i-th neighbour of node k, i < degree(k). Neighbours are ordered by dimension on
  /// cubes, otherwise by id. Takes as long as degree(). Allocates nothing. Precondition: k and i
  /// are in range.
  [[nodiscard]] EVENCUBE_EXPORT node_id neighbour(node_id k, node_id i) const;
  /// Calls visit(neighbour) for every neighbour of k in the order of neighbour(). Allocates
  /// nothing.
  template <typename Visit>
  void for_each_neighbour(node_id k, Visit&& visit) const {
    if (is_cube()) {
      for (unsigned i = 0; i < dimensions_; ++i) {
        const node_id other = k ^ (node_id{1} << i);
        if (other < nodes_) visit(other);
      }
      return;
    }
    if (codes_ != nullptr) {
      for (std::uint64_t bits = codes_[k]; bits != 0;) {
        const auto top = static_cast<unsigned>(std::bit_width(bits)) - 1;
        visit(k - fibonacci_steps[top]);
        bits ^= std::uint64_t{1} << top;
      }
      for (std::uint64_t bits = addable_bits(k); bits != 0; bits &= bits - 1) {
        visit(k + fibonacci_steps[static_cast<unsigned>(std::countr_zero(bits))]);
      }
      return;
    }
    const node_id count = degree(k);
    for (node_id i = 0; i < count; ++i) visit(neighbour(k, i));
  }

  /// Returns true if a link joins a and b; false if an id is out of range or a == b.
  [[nodiscard]] EVENCUBE_EXPORT bool adjacent(node_id a, node_id b) const;
  /// Returns the number of links on a shortest path from a to b. O(log nodes) or less; a
  /// breadth-first search on edge lists.
  [[nodiscard]] EVENCUBE_EXPORT node_id distance(node_id a, node_id b) const;
  /// Writes the nodes of one fixed shortest path from a to b, both included, into `path`.
  EVENCUBE_EXPORT void shortest_path(node_id a, node_id b, std::vector<node_id>& path) const;

  /// Returns the largest distance between any two nodes. O(log nodes) or less; on edge lists
  /// O(nodes * edges), or O(nodes) if they form a tree.
  [[nodiscard]] EVENCUBE_EXPORT node_id diameter() const;
  /// Returns the mean distance over ordered pairs of different nodes; 0 for one node. Takes as long
  /// as diameter(); on Fibonacci cubes O(nodes).
  [[nodiscard]] EVENCUBE_EXPORT double average_distance() const;
  /// Returns the number of nodes for each degree. O(nodes).
  [[nodiscard]] EVENCUBE_EXPORT std::map<node_id, std::uint64_t> degree_histogram() const;
  /// Returns the number of links. O(nodes) at most.
  [[nodiscard]] EVENCUBE_EXPORT std::uint64_t edges() const;
  /// Returns the largest number of links at a node.
  [[nodiscard]] EVENCUBE_EXPORT node_id max_degree() const;

  /// Returns true if both networks have the same kind and parameters. `hypercube:3` and `cube:8`
  /// have the same links but differ.
  friend bool operator==(const topology& a, const topology& b);

 private:
  struct adjacency;

  topology(topology_kind kind, node_id nodes) : kind_(kind), nodes_(nodes) {}
  static topology grid(topology_kind kind, std::uint64_t rows, std::uint64_t columns);
  static topology zeckendorf(topology_kind kind, node_id nodes, unsigned order);
  [[nodiscard]] bool wraps() const noexcept {
    return kind_ == topology_kind::torus || kind_ == topology_kind::ring;
  }
  [[nodiscard]] bool is_zeckendorf() const noexcept {
    return kind_ == topology_kind::fibonacci || kind_ == topology_kind::fibonacci_composite;
  }
  /// The value of bit b of a Zeckendorf code: f_(b+2).
  static constexpr std::array<node_id, 34> fibonacci_steps = [] {
    std::array<node_id, 34> steps{1, 2};
    for (std::size_t b = 2; b < steps.size(); ++b) steps[b] = steps[b - 1] + steps[b - 2];
    return steps;
  }();
  /// The bits that may be added to the code of node k: bits that have no set neighbour and lead to
  /// existing nodes.
  [[nodiscard]] std::uint64_t addable_bits(node_id k) const noexcept {
    const std::uint64_t code = codes_[k];
    std::uint64_t bits = ~(code | code << 1 | code >> 1) & widest_;
    while (bits != 0) {
      const auto top = static_cast<unsigned>(std::bit_width(bits)) - 1;
      if (k + fibonacci_steps[top] < nodes_) break;
      bits ^= std::uint64_t{1} << top;
    }
    return bits;
  }
  struct few {
    node_id id[4];
    node_id count;
  };
  [[nodiscard]] few grid_neighbours(node_id k) const noexcept;
  [[nodiscard]] std::vector<node_id> distances_from(node_id a) const;
  /// The largest distance in an edge list, and the sum of distances over all ordered pairs.
  struct hops {
    node_id largest;
    double sum;
  };
  [[nodiscard]] hops all_hops() const;
  [[nodiscard]] hops hops_of_tree() const;
  [[nodiscard]] hops hops_of_network() const;

  topology_kind kind_;
  node_id nodes_;
  node_id rows_ = 0;
  node_id columns_ = 0;
  unsigned dimensions_ = 0;
  unsigned order_ = 0;
  std::uint64_t widest_ = 0;              // the longest code, but with all its bits set
  const std::uint64_t* codes_ = nullptr;  // the codes of a Fibonacci cube, owned by links_
  std::shared_ptr<const adjacency> links_;
};

/// Returns f_n with f_0 = 0, f_1 = f_2 = 1. n in [0, 90].
[[nodiscard]] EVENCUBE_EXPORT std::uint64_t fibonacci_number(unsigned n);

/// Returns the Zeckendorf code of i: bit b has the value f_(b+2), and no two neighbouring bits are
/// set (Loh et al. 1996, Table A). i < f_36.
[[nodiscard]] EVENCUBE_EXPORT std::uint64_t zeckendorf_code(node_id i);

}  // namespace evencube
