// Ranks against those that can be told by hand, and against the equation that they solve.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <evencube/workloads/pagerank.hpp>

namespace evencube::workloads {
namespace {

pagerank_state solve(const link_graph& graph, const pagerank_settings& settings) {
  const pagerank_blocks blocks{graph, settings};
  pagerank_state state;
  blocks.begin(state);
  do {
    for (std::size_t block = blocks.blocks(); block-- > 0;) blocks.advance(state, block);
  } while (blocks.finish(state));
  return state;
}

TEST(pagerank, of_a_circle_is_even) {
  const link_graph graph{3, {{0, 1}, {1, 2}, {2, 0}}};
  for (const double rank : solve(graph, {}).ranks) EXPECT_NEAR(rank, 1.0 / 3, 1e-12);
}

TEST(pagerank, of_a_star_and_of_vertices_without_links_is_as_computed_by_hand) {
  // Two link to the first, which links to nobody: with d = 1/2, x_0 = (1/2 + x_0/2) / 3 + (x_1 +
  // x_2) / 2 and x_1 = x_2 = (1/2 + x_0/2) / 3; so x_0 = 1/2, and the others have 1/4 each.
  const link_graph graph{3, {{1, 0}, {2, 0}}};
  const auto ranks = solve(graph, {.damping = 0.5, .tolerance = 1e-15}).ranks;
  EXPECT_NEAR(ranks[0], 0.5, 1e-12);
  EXPECT_NEAR(ranks[1], 0.25, 1e-12);
  EXPECT_NEAR(ranks[2], 0.25, 1e-12);
}

TEST(pagerank, fulfils_its_equation_and_sums_to_one) {
  const auto graph = make_power_law_graph(3000, 20'000, 5);
  const auto state = solve(graph, {.rows = 100});
  EXPECT_LT(pagerank_residual(graph, 0.85, state.ranks), 1e-10);
  EXPECT_NEAR(std::accumulate(state.ranks.begin(), state.ranks.end(), 0.0), 1, 1e-10);
  EXPECT_GT(state.iterations, 5U);
  auto wrong = state.ranks;
  wrong[7] += 1e-6;
  EXPECT_GT(pagerank_residual(graph, 0.85, wrong), 1e-7);
}

TEST(pagerank, change_shrinks_by_the_damping_at_least) {
  const auto graph = make_power_law_graph(500, 2000, 5);
  double before = 2;
  for (const std::uint32_t limit : {1U, 2U, 3U, 4U, 10U}) {
    const auto state = solve(graph, {.damping = 0.7, .limit = limit, .rows = 64});
    EXPECT_EQ(state.iterations, limit);
    EXPECT_LE(state.change, 0.7 * before + 1e-15);
    EXPECT_LE(pagerank_residual(graph, 0.7, state.ranks), 0.7 * state.change + 1e-14);
    before = state.change;
  }
}

TEST(pagerank, blocks_have_all_links) {
  const auto graph = make_power_law_graph(1000, 5000, 9);
  const pagerank_blocks blocks{graph, {.rows = 300}};
  ASSERT_EQ(blocks.blocks(), 4U);
  std::uint64_t sum = 0;
  for (std::size_t block = 0; block < 4; ++block) sum += blocks.links_into(block);
  EXPECT_EQ(sum, graph.links());
  EXPECT_GT(blocks.links_into(0), 3 * blocks.links_into(3));
}

}  // namespace
}  // namespace evencube::workloads
