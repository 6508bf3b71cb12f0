#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <evencube/workloads/search_tree.hpp>

#include "../common/program.hpp"

/// The Unbalanced Tree Search benchmark: counts the nodes of a tree whose shape is known only as it
/// is walked.
namespace bench::uts {

inline const workload about{
    "uts", "node", {{"tree", "T1", "tiny", "the standard tree", {"T1", "T3", "tiny"}}}};

using evencube::workloads::child_of;
using evencube::workloads::children_of;
using evencube::workloads::most_geometric_children;
using evencube::workloads::root_of;
using evencube::workloads::sha1_of_block;
using evencube::workloads::tree_named;
using block = evencube::workloads::sha1_block;
using node = evencube::workloads::tree_node;
using tree = evencube::workloads::search_tree;

inline std::uint64_t count_nodes(const tree& in, const node& from) {
  std::uint64_t count = 1;
  const std::size_t children = children_of(in, from);
  for (std::size_t i = 0; i < children; ++i) count += count_nodes(in, child_of(from, i));
  return count;
}

/// A place for one result per child. It is on the stack, except for the widest nodes.
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
  std::array<std::uint64_t, most_geometric_children> few_;  // only the entries in use are written
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
