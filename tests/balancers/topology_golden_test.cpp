#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/topology.hpp>

#include <algorithm>
#include <bitset>
#include <set>

namespace evencube {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct loh_row {
  std::string network;
  double average_distance;
  std::map<node_id, std::uint64_t> degrees;
  double average_degree;
  std::uint64_t edges;
  node_id diameter;
};

class loh_table_1 : public ::testing::TestWithParam<loh_row> {};

TEST_P(loh_table_1, every_cell) {
  const auto graph = topology::parse(GetParam().network);
  ASSERT_EQ(graph.nodes(), 16U);
  EXPECT_NEAR(graph.average_distance(), GetParam().average_distance, 1e-9);
  EXPECT_EQ(graph.degree_histogram(), GetParam().degrees);
  EXPECT_DOUBLE_EQ(2.0 * static_cast<double>(graph.edges()) / graph.nodes(),
                   GetParam().average_degree);
  EXPECT_EQ(graph.edges(), GetParam().edges);
  EXPECT_EQ(graph.diameter(), GetParam().diameter);
}

INSTANTIATE_TEST_SUITE_P(
    networks, loh_table_1,
    ::testing::Values(loh_row{"mesh:4x4", 8.0 / 3, {{2, 4}, {3, 8}, {4, 4}}, 3.0, 24, 6},
                      loh_row{"hypercube:4", 32.0 / 15, {{4, 16}}, 4.0, 32, 4},
                      loh_row{"fibonacci-composite:16",
                              578.0 / 240,
                              {{2, 5}, {3, 7}, {4, 2}, {5, 1}, {6, 1}},
                              3.125,
                              25,
                              5},
                      loh_row{"linear:16", 17.0 / 3, {{1, 2}, {2, 14}}, 1.875, 15, 15}));

TEST(zeckendorf, codes_of_table_a) {
  const char* const codes[] = {"000000", "000001", "000010", "000100", "000101", "001000",
                               "001001", "001010", "010000", "010001", "010010", "010100",
                               "010101", "100000", "100001", "100010"};
  for (node_id i = 0; i < 16; ++i) {
    EXPECT_EQ(std::bitset<6>(zeckendorf_code(i)).to_string(), codes[i]) << i;
  }
}

TEST(fibonacci_cube, parts_of_the_composite) {
  EXPECT_EQ(topology::fibonacci(6).nodes(), 8U);
  EXPECT_EQ(topology::fibonacci(6).edges(), 10U);
  EXPECT_EQ(topology::fibonacci(5).edges(), 5U);
  EXPECT_EQ(topology::fibonacci(4).edges(), 2U);
  EXPECT_EQ(topology::fibonacci(1).nodes(), 1U);
  EXPECT_EQ(topology::fibonacci(2).nodes(), 1U);
  const auto composite = topology::fibonacci_composite(16);
  for (node_id i = 0; i < 5; ++i) EXPECT_TRUE(composite.adjacent(8 + i, i));
  for (node_id i = 0; i < 3; ++i) EXPECT_TRUE(composite.adjacent(13 + i, i));
  EXPECT_FALSE(composite.adjacent(13, 8));
}

TEST(fibonacci_cube, edge_recurrence) {
  // Gamma_n = Gamma_(n-1) + Gamma_(n-2) + f_(n-2) links.
  for (unsigned n = 3; n <= 20; ++n) {
    EXPECT_EQ(topology::fibonacci(n).edges(), topology::fibonacci(n - 1).edges() +
                                                  topology::fibonacci(n - 2).edges() +
                                                  fibonacci_number(n - 2));
  }
}

class any_topology : public ::testing::TestWithParam<std::string> {};

TEST_P(any_topology, metrics_agree_with_breadth_first_search) {
  const auto graph = topology::parse(GetParam());
  // The same links as a plain list, whose metrics all come from searching.
  std::vector<std::pair<node_id, node_id>> links;
  for (node_id a = 0; a < graph.nodes(); ++a) {
    node_id index = 0;
    node_id count = 0;
    graph.for_each_neighbour(a, [&](node_id b) {
      EXPECT_EQ(graph.neighbour(a, index++), b);
      EXPECT_TRUE(graph.adjacent(a, b));
      EXPECT_TRUE(graph.adjacent(b, a));
      ++count;
      if (a < b) links.emplace_back(a, b);
    });
    EXPECT_EQ(count, graph.degree(a));
  }
  if (graph.nodes() == 1) return;
  const auto listed = topology::from_edges(links);
  ASSERT_EQ(listed.nodes(), graph.nodes());
  EXPECT_EQ(listed.edges(), graph.edges());
  EXPECT_EQ(listed.diameter(), graph.diameter());
  EXPECT_NEAR(listed.average_distance(), graph.average_distance(), 1e-12);
  EXPECT_EQ(listed.max_degree(), graph.max_degree());
  std::vector<node_id> path;
  for (node_id a = 0; a < graph.nodes(); ++a) {
    for (node_id b = 0; b < graph.nodes(); ++b) {
      ASSERT_EQ(listed.distance(a, b), graph.distance(a, b)) << a << " " << b;
      ASSERT_EQ(listed.adjacent(a, b), graph.adjacent(a, b));
      graph.shortest_path(a, b, path);
      ASSERT_EQ(path.size(), graph.distance(a, b) + 1);
      ASSERT_EQ(path.front(), a);
      ASSERT_EQ(path.back(), b);
      for (std::size_t i = 1; i < path.size(); ++i) {
        ASSERT_TRUE(graph.adjacent(path[i - 1], path[i]));
      }
    }
  }
}

TEST_P(any_topology, text_reads_back) {
  const auto graph = topology::parse(GetParam());
  EXPECT_EQ(graph.to_string(), GetParam());
  EXPECT_EQ(topology::parse(graph.to_string()), graph);
}

INSTANTIATE_TEST_SUITE_P(networks, any_topology,
                         ::testing::Values("hypercube:0", "hypercube:1", "hypercube:5", "cube:1",
                                           "cube:2", "cube:3", "cube:5", "cube:6", "cube:7",
                                           "cube:23", "cube:33", "mesh:1x1", "mesh:3x5", "mesh:1x4",
                                           "torus:2x2", "torus:3x4", "torus:1x5", "torus:2x5",
                                           "ring:1", "ring:2", "ring:3", "ring:8", "linear:1",
                                           "linear:7", "complete:1", "complete:6", "star:1",
                                           "star:2", "star:7", "fibonacci:1", "fibonacci:3",
                                           "fibonacci:8", "fibonacci-composite:1",
                                           "fibonacci-composite:16", "fibonacci-composite:27",
                                           "fibonacci-composite:30", "edges:0-1,0-2,1-3,2-3,3-4"));

TEST(topology, a_million_nodes_need_no_tables) {
  const auto graph = topology::hypercube(20);
  EXPECT_EQ(graph.edges(), 20U << 19);
  EXPECT_EQ(graph.distance(0, graph.nodes() - 1), 20U);
  EXPECT_LE(sizeof(graph), 64U);
}

// The largest there is: its codes have 34 bits.
TEST(fibonacci_cube, of_fifteen_million_nodes) {
  const auto graph = topology::fibonacci(36);
  EXPECT_EQ(graph.nodes(), 14'930'352U);
  EXPECT_EQ(graph.edges(), topology::fibonacci(35).edges() + topology::fibonacci(34).edges() +
                               fibonacci_number(34));
  EXPECT_EQ(graph.diameter(), 34U);
  EXPECT_EQ(graph.degree(0), 34U);
  EXPECT_EQ(graph.max_degree(), 34U);
  const node_id last = graph.nodes() - 1;
  EXPECT_EQ(std::bitset<34>(zeckendorf_code(last)).count(), 17U);
  EXPECT_EQ(graph.degree(last), 17U);
  EXPECT_EQ(graph.neighbour(last, 0), last - fibonacci_number(35));
  EXPECT_TRUE(graph.adjacent(last, last - 2));
  EXPECT_FALSE(graph.adjacent(last, last - 1));
  EXPECT_EQ(graph.distance(0, last), 17U);
  std::uint64_t nodes = 0;
  for (const auto& [degree, count] : graph.degree_histogram()) nodes += count;
  EXPECT_EQ(nodes, graph.nodes());
}

// A path, a star with long rays and a cycle with a tail: trees are counted by their links, others
// node by node.
TEST(edge_list, distances_of_trees_and_others) {
  std::string path = "edges:0-1";
  for (int i = 1; i < 12'000; ++i) path += "," + std::to_string(i) + "-" + std::to_string(i + 1);
  const auto long_path = topology::parse(path);
  EXPECT_EQ(long_path.diameter(), 12'000U);
  EXPECT_NEAR(long_path.average_distance(), topology::linear(12'001).average_distance(), 1e-9);
  const auto spider = topology::parse("edges:0-1,1-2,0-3,3-4,4-5,0-6");
  EXPECT_EQ(spider.diameter(), 5U);
  double sum = 0;
  for (node_id a = 0; a < 7; ++a) {
    for (node_id b = 0; b < 7; ++b) sum += spider.distance(a, b);
  }
  EXPECT_DOUBLE_EQ(spider.average_distance(), sum / 42);
  const auto tailed = topology::parse("edges:0-1,1-2,2-0,2-3,3-4");
  EXPECT_EQ(tailed.diameter(), 3U);
  EXPECT_DOUBLE_EQ(tailed.average_distance(), (1 + 1 + 2 + 3 + 1 + 2 + 3 + 1 + 2 + 1) / 10.0);
}

TEST(topology, a_network_larger_than_asked_for_is_refused_before_it_is_made) {
  for (const auto& [text, nodes] : {std::pair{"hypercube:11", 2048U},
                                    {"cube:1001", 1001U},
                                    {"mesh:32x32", 1024U},
                                    {"torus:7x200", 1400U},
                                    {"ring:2000", 2000U},
                                    {"complete:1001", 1001U},
                                    {"fibonacci:17", 1597U},
                                    {"fibonacci-composite:1001", 1001U}}) {
    EXPECT_EQ(topology::parse(text, nodes).nodes(), nodes) << text;
    try {
      (void)topology::parse(text, 1000);
      FAIL() << text << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_THAT(problem.what(), ::testing::HasSubstr("at most 1000 are allowed here")) << text;
    }
  }
  EXPECT_THROW((void)topology::parse("edges:0-1000", 1000), std::invalid_argument);
  EXPECT_THROW((void)topology::parse("hypercube:99999999999999999999", 1000),
               std::invalid_argument);
  EXPECT_THROW((void)topology::parse("mesh:4294967296x4294967296", 1000), std::invalid_argument);
}

TEST(topology, incomplete_cube_skips_missing_partners) {
  const auto graph = topology::cube(6);
  std::vector<node_id> found;
  graph.for_each_neighbour(5, [&](node_id k) { found.push_back(k); });
  EXPECT_THAT(found, ElementsAre(4, 1));
  EXPECT_EQ(graph.dimensions(), 3U);
  EXPECT_THAT(graph.degree_histogram(), ElementsAre(Pair(2, 4), Pair(3, 2)));
}

}  // namespace
}  // namespace evencube
