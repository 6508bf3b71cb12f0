#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/program.hpp"
#include "sha1.hpp"

/// The Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006): count the nodes of a tree
/// whose shape is known only as it is walked, for a node's number of children follows from a hash.
namespace bench::uts {

inline const workload about{
    "uts", "node", {{"tree", "T1", "tiny", "the standard tree", {"T1", "T3", "tiny"}}}};

/// How many children a node has. Geometric: a geometric distribution with mean `root_children` down
/// to level `levels`, none below. Binomial: `root_children` at the root; elsewhere
/// `branching_children` with probability `branching_chance`, else none.
struct tree {
  bool geometric;
  std::uint32_t seed;
  double root_children;
  unsigned levels;
  unsigned branching_children;
  double branching_chance;
  std::uint64_t nodes;
};

/// T1 and T3 as the benchmark's own list of sample trees gives them.
inline tree tree_named(const std::string& name) {
  if (name == "T1") return {true, 19, 4.0, 10, 0, 0.0, 4130071};
  if (name == "T3") return {false, 42, 2000.0, 0, 8, 0.124875, 4112897};
  if (name == "tiny") return {true, 19, 4.0, 3, 0, 0.0, 0};
  throw std::invalid_argument("tree " + name + " is unknown");
}

struct node {
  digest state;
  unsigned level;
};

inline node root_of(const tree& of) {
  block message{};
  message[4] = of.seed;
  message[5] = 0x80000000U;
  message[15] = 160;  // bits
  return {sha1_of_block(message), 0};
}

inline node child_of(const node& parent, std::size_t index) {
  block message{};
  for (unsigned i = 0; i < 5; ++i) message[i] = parent.state[i];
  message[5] = static_cast<std::uint32_t>(index);
  message[6] = 0x80000000U;
  message[15] = 192;  // bits
  return {sha1_of_block(message), parent.level + 1};
}

inline constexpr std::size_t most_geometric_children = 100;

inline std::size_t children_of(const tree& in, const node& of) {
  const double chance = static_cast<double>(of.state[4] & 0x7fffffffU) / 2147483648.0;
  if (!in.geometric) {
    if (of.level == 0) return static_cast<std::size_t>(in.root_children);
    return chance < in.branching_chance ? in.branching_children : 0;
  }
  if (of.level > 0 && of.level >= in.levels) return 0;
  const double stop = 1.0 / (1.0 + in.root_children);
  const double count = std::floor(std::log(1.0 - chance) / std::log(1.0 - stop));
  return std::min(static_cast<std::size_t>(count), most_geometric_children);
}

inline std::uint64_t count_nodes(const tree& in, const node& from) {
  std::uint64_t count = 1;
  const std::size_t children = children_of(in, from);
  for (std::size_t i = 0; i < children; ++i) count += count_nodes(in, child_of(from, i));
  return count;
}

/// A place for one result per child, on the stack but for the widest nodes.
class results {
 public:
  explicit results(std::size_t count) : count_(count) {
    if (count > few_.size()) many_.resize(count);
  }
  std::uint64_t& operator[](std::size_t i) { return count_ > few_.size() ? many_[i] : few_[i]; }
  std::uint64_t sum() {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += (*this)[i];
    return all;
  }

 private:
  std::size_t count_;
  std::array<std::uint64_t, most_geometric_children> few_;  // only what is asked for is written
  std::vector<std::uint64_t> many_;
};

/// `count(tree, root)` returns the number of nodes, one task for every node.
template <typename Count>
int measure(program& with, const Count& count) {
  const tree in = tree_named(with.word("tree"));
  const node root = root_of(in);
  const std::uint64_t right = in.nodes != 0 ? in.nodes : count_nodes(in, root);
  std::uint64_t result = 0;
  return with.measure({
      .units = static_cast<double>(right),
      .run = [&] { return timed([&] { result = count(in, root); }); },
      .verify = [&] { return result == right ? "" : std::to_string(result) + " nodes"; },
  });
}

}  // namespace bench::uts
