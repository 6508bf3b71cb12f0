// evencube topology: networks and this machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json facts(const std::string& arguments) {
  const auto result = evencube(words("topology " + arguments + " --json"));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.as_json();
}

// The text used to give the default number of workers, above a table of the requested number.
TEST(topology_of_the_machine, tells_why_there_are_so_many_workers) {
  EXPECT_THAT(evencube({"topology", "--workers", "6"}).out,
              ::testing::StartsWith("6 workers: as asked"));
  EXPECT_EQ(shell("EVENCUBE_WORKERS=3 \"$0\" topology --json").as_json().at("workers").size(), 3U);
}

TEST(network_json, is_exactly_the_contract) {
  EXPECT_EQ(facts("--topology mesh:4x4"),
            (json{{"nodes", 16},
                  {"edges", 24},
                  {"diameter", 6},
                  {"average_distance", 8.0 / 3.0},
                  {"average_degree", 3.0},
                  {"degree_histogram", {{"2", 4}, {"3", 8}, {"4", 4}}}}));
}

TEST(network_json, of_other_networks) {
  EXPECT_EQ(facts("--topology hypercube:4")["edges"], 32);
  EXPECT_EQ(facts("--topology linear:16")["diameter"], 15);
  EXPECT_EQ(facts("--topology fibonacci-composite:16")["edges"], 25);
  EXPECT_EQ(facts("--topology edges:0-1,1-2,2-0,2-3")["degree_histogram"],
            json::parse(R"({"1": 1, "2": 2, "3": 1})"));
  EXPECT_EQ(facts("--topology cube:1")["average_degree"], 0.0);
}

TEST(network_text, names_the_network) {
  EXPECT_THAT(evencube(words("topology --topology ring:8")).out,
              ::testing::AllOf(HasSubstr("ring:8"), HasSubstr("diameter          4")));
}

TEST(machine_json, places_the_workers_and_names_their_neighbours) {
  const auto machine = facts("--workers 6");
  EXPECT_GE(machine["units"].get<int>(), 1);
  EXPECT_GE(machine["default_workers"].get<int>(), 1);
  EXPECT_THAT(machine["reason"].get<std::string>(), HasSubstr("worker"));
  ASSERT_EQ(machine["workers"].size(), 6U);
  for (std::size_t worker = 0; worker < 6; ++worker) {
    const auto& entry = machine["workers"][worker];
    EXPECT_EQ(keys(entry),
              (std::set<std::string>{"worker", "pu", "core", "smt_rank", "l2", "l3", "numa_node",
                                     "package", "kind", "capacity", "neighbours"}));
    EXPECT_EQ(entry["worker"], worker);
  }
  EXPECT_EQ(machine["workers"][0]["neighbours"], json::parse("[1, 2, 4]"));
  EXPECT_EQ(machine["workers"][5]["neighbours"], json::parse("[4, null, 1]"));
}

TEST(machine_json, has_the_default_workers_when_none_are_asked_for) {
  const auto machine = facts("");
  EXPECT_EQ(machine["workers"].size(), machine["default_workers"].get<std::size_t>());
}

TEST(machine_json, obeys_the_affinity_mask) {
  // The first processor that this test itself may use.
  const auto first = facts("")["workers"][0]["pu"].get<int>();
  const auto result = shell("exec taskset -c " + std::to_string(first) + " \"$0\" topology --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json()["default_workers"], 1);
  EXPECT_EQ(result.as_json()["workers"][0]["pu"], first);
}

TEST(machine_text, says_why) {
  const auto result = evencube({"topology"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("NUMA"));
  EXPECT_THAT(result.out, HasSubstr(facts("")["reason"].get<std::string>()));
}

// The first topology took a minute and 1.2 GB, the second 16 s. The limit is on processor time.
TEST(large_topologies, are_described_in_seconds_and_little_memory) {
  const auto cube =
      shell("ulimit -v 300000; ulimit -t 40; \"$0\" topology --json --topology fibonacci:36");
  ASSERT_EQ(cube.status, 0) << cube.err;
  EXPECT_EQ(cube.as_json()["nodes"], 14'930'352);
  EXPECT_EQ(cube.as_json()["diameter"], 34);
  EXPECT_NEAR(cube.as_json()["average_distance"].get<double>(), 13.6845, 1e-4);
  std::string path = "edges:0-1";
  for (int i = 1; i < 12'000; ++i) path += "," + std::to_string(i) + "-" + std::to_string(i + 1);
  const auto line = shell("ulimit -t 12; \"$0\" topology --json --topology " + path);
  ASSERT_EQ(line.status, 0) << line.err;
  EXPECT_EQ(line.as_json()["diameter"], 12'000);
  EXPECT_NEAR(line.as_json()["average_distance"].get<double>(), 4000.67, 0.01);
}

TEST(bad_topologies, are_refused_with_the_reason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--topology torus:3", "torus"},
      {"--topology edges:0-1,2-3", "edges"},
      {"--workers 0", "from 1 to 1024"},
      {"--workers 2 --topology ring:3", "cannot be combined with"},
      {"ring:3", "ring:3"},
  };
  EXPECT_THAT(evencube({"topology", "--topology", ""}).err,
              HasSubstr("--topology: the value is empty"));
  // The message must not complain about an option that is missing because its name was taken for
  // the value.
  const auto plan = evencube({"plan", "dem", "--topology=", "--loads", "1,2"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_THAT(plan.err, HasSubstr("--topology: the value is empty"));
  for (const auto& [arguments, reason] : cases) {
    const auto result = evencube(words("topology --json " + arguments));
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace evencube::cli::testing
