#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <evencube/workloads/sha1.hpp>

namespace evencube::workloads {

// Trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006). The shape of a tree
// becomes known only during the search, because a hash determines each node's number of children.

/// The rule for how many children a node has. Geometric: a geometric distribution with mean
/// `root_children` down to level `levels`, no children below. Binomial: `root_children` at the
/// root; elsewhere `branching_children` with probability `branching_chance`, otherwise no children.
struct search_tree {
  bool geometric;
  std::uint32_t seed;
  double root_children;
  unsigned levels;
  unsigned branching_children;
  double branching_chance;
  std::uint64_t nodes;  ///< The published number; 0 if unpublished.
  std::uint64_t leaves;
  unsigned depth;  ///< Level of the deepest node.
};

/// Returns the tree called `name`: T1, T3, or the larger T1L or T3L from the benchmark's list of
/// sample trees, or `tiny`. Throws std::invalid_argument for any other name.
inline search_tree tree_named(const std::string& name) {
  if (name == "T1") return {true, 19, 4.0, 10, 0, 0.0, 4130071, 3305118, 10};
  if (name == "T3") return {false, 42, 2000.0, 0, 8, 0.124875, 4112897, 3599034, 1572};
  if (name == "T1L") return {true, 29, 4.0, 13, 0, 0.0, 102181082, 81746377, 13};
  if (name == "T3L") return {false, 7, 2000.0, 0, 5, 0.200014, 111345631, 89076904, 17844};
  if (name == "tiny") return {true, 19, 4.0, 3, 0, 0.0, 0, 0, 0};
  throw std::invalid_argument{"unknown tree \"" + name + "\"; known: T1, T3, T1L, T3L, tiny"};
}

/// The complete state of a node, which determines its children.
struct tree_node {
  sha1_digest state;
  unsigned level;
};

/// Returns the root of the tree.
inline tree_node root_of(const search_tree& of) {
  sha1_block message{};
  message[4] = of.seed;
  message[5] = 0x80000000U;
  message[15] = 160;  // bits
  return {sha1_of_block(message), 0};
}

/// Returns child `index` of a node.
inline tree_node child_of(const tree_node& parent, std::size_t index) {
  sha1_block message{};
  for (unsigned i = 0; i < 5; ++i) message[i] = parent.state[i];
  message[5] = static_cast<std::uint32_t>(index);
  message[6] = 0x80000000U;
  message[15] = 192;  // bits
  return {sha1_of_block(message), parent.level + 1};
}

/// The maximum number of children that a node of a geometric tree has.
inline constexpr std::size_t most_geometric_children = 100;

/// Returns the number of children of a node.
inline std::size_t children_of(const search_tree& in, const tree_node& of) {
  const double chance = static_cast<double>(of.state[4] & 0x7fffffffU) / 2147483648.0;
  if (!in.geometric) {
    if (of.level == 0) return static_cast<std::size_t>(in.root_children);
    return chance < in.branching_chance ? in.branching_children : 0;
  }
  if (of.level > 0 && of.level >= in.levels) return 0;
  const double stop = 1.0 / (1.0 + in.root_children);
  const double count = std::floor(std::log(1.0 - chance) / std::log(1.0 - stop));
  return (std::min)(static_cast<std::size_t>(count), most_geometric_children);
}

}  // namespace evencube::workloads
