// Graphs from files and from seeds: what is read, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <evencube/workloads/link_graph.hpp>

namespace evencube::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";

link_graph parsed(const std::string& text) { return parse_matrix_market(text, "web.mtx"); }

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const input_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(link_graph, knows_who_links_to_whom) {
  const link_graph graph{4, {{2, 0}, {0, 1}, {1, 0}, {2, 0}, {3, 3}}};
  EXPECT_EQ(graph.vertices(), 4U);
  EXPECT_EQ(graph.links(), 4U);
  EXPECT_THAT(graph.into(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.into(1), ElementsAre(0));
  EXPECT_THAT(graph.into(2), IsEmpty());
  EXPECT_THAT(graph.into(3), ElementsAre(3));
  EXPECT_EQ(graph.leaving(2), 1U);
  EXPECT_EQ(graph.before(3), 3U);
  EXPECT_EQ(graph.before(4), 4U);
  EXPECT_THROW((link_graph{4, {{0, 4}}}), std::invalid_argument);
}

TEST(link_graph, made_up_ones_follow_a_power_law) {
  const auto graph = make_power_law_graph(100'000, 200'000, 3);
  EXPECT_GT(graph.links(), 180'000U);
  // A share u of all links goes into the first u^4 of the vertices; of several alike one counts.
  const auto share = [&](std::uint32_t vertices) {
    return static_cast<double>(graph.before(vertices)) / static_cast<double>(graph.links());
  };
  EXPECT_NEAR(share(160), 0.2, 0.03);
  EXPECT_NEAR(share(6250), 0.5, 0.03);
  EXPECT_EQ(make_power_law_graph(100, 500, 1).links(), make_power_law_graph(100, 500, 1).links());
  EXPECT_EQ(make_power_law_graph(1, 5, 1).links(), 1U);
}

TEST(matrix_market, is_read) {
  const auto graph = parsed(head + "% a comment\n\n3 3 3\n1 2\n 3\t1 \r\n%\n2 2\n");
  EXPECT_EQ(graph.vertices(), 3U);
  EXPECT_THAT(graph.into(1), ElementsAre(0, 1));
  EXPECT_THAT(graph.into(0), ElementsAre(2));
}

TEST(matrix_market, values_do_not_matter_and_symmetric_entries_count_for_both) {
  const auto graph = parsed(
      "%%MatrixMarket MATRIX Coordinate Real Symmetric\n3 3 3\n2 1 -0.5e-3\n3 3 +1\n3 1 1e999");
  EXPECT_THAT(graph.into(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.into(1), ElementsAre(0));
  EXPECT_THAT(graph.into(2), ElementsAre(0, 2));
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7").links(), 1U);
}

TEST(matrix_market, what_is_wrong_is_told_with_its_line) {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "web.mtx:1: no Matrix Market file"},
           {"1 1 1\n", "web.mtx:1: no Matrix Market file"},
           {"%%MatrixMarket vector coordinate pattern general\n", "object \"vector\": only matrix"},
           {"%%MatrixMarket matrix array real general\n", "format \"array\": only coordinate"},
           {"%%MatrixMarket matrix coordinate complex general\n", "field \"complex\""},
           {"%%MatrixMarket matrix coordinate real hermitian\n", "symmetry \"hermitian\""},
           {"%%MatrixMarket matrix coordinate real\n", "symmetry \"\""},
           {head, "ends before its size"},
           {head + "2 3 0\n", "web.mtx:2: 2 x 3"},
           {head + "0 0 0\n", "rows \"0\""},
           {head + "2 2 x\n", "entries \"x\""},
           {head + "2 2\n", "entries \"\""},
           {head + "2 2 1 1\n1 1\n", "\"1\" is one word too many"},
           {head + "3000000000 3000000000 1\n1 1\n", "rows \"3000000000\""},
           {head + "2000000000 2000000000 1\n1 1\n", "2000000000 vertices, for which"},
           {head + "2 2 1000000000000\n1 1\n", "1000000000000 entries cannot stand"},
           {head + "2 2 2\n1 1\n", "the file ends after 1 of 2 entries"},
           {head + "2 2 1\n1 1\n2 2\n", "web.mtx:4: there are more than 1 entries"},
           {head + "2 2 1\n0 1\n", "web.mtx:3: row \"0\""},
           {head + "2 2 1\n1 3\n", "column \"3\""},
           {head + "2 2 1\n1 -1\n", "column \"-1\""},
           {head + "2 2 1\n1 1 1\n", "one word too many"},
           {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1\n",
            "value \"\" is no number"},
           {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1x\n", "value \"1x\""},
       }) {
    EXPECT_THAT(refusal(text), HasSubstr(reason)) << text;
  }
}

}  // namespace
}  // namespace evencube::workloads
