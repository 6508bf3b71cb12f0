// Trees by their seeds: a geometric one by levels, and the standard ones at their tops.

#include <gtest/gtest.h>

#include <evencube/workloads/search_tree.hpp>

namespace evencube::workloads {
namespace {

TEST(search_tree, names) {
  EXPECT_EQ(tree_named("T1").nodes, 4130071U);
  EXPECT_EQ(tree_named("T3").depth, 1572U);
  EXPECT_EQ(tree_named("T1L").nodes, 102181082U);
  EXPECT_EQ(tree_named("T3L").depth, 17844U);
  EXPECT_THROW(static_cast<void>(tree_named("T9")), std::invalid_argument);
}

TEST(search_tree, binomial_roots_have_all_their_children_and_others_eight_or_none) {
  const auto tree = tree_named("T3");
  const auto root = root_of(tree);
  ASSERT_EQ(children_of(tree, root), 2000U);
  unsigned with = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const auto children = children_of(tree, child_of(root, i));
    EXPECT_TRUE(children == 0 || children == 8) << children;
    with += children == 8 ? 1 : 0;
  }
  EXPECT_NEAR(with, 0.124875 * 2000, 60);
}

TEST(search_tree, geometric_ones_end_at_their_last_level) {
  const auto tree = tree_named("tiny");
  auto node = root_of(tree);
  while (children_of(tree, node) != 0) node = child_of(node, children_of(tree, node) - 1);
  EXPECT_LE(node.level, 3U);
}

}  // namespace
}  // namespace evencube::workloads
