// Options that several commands give to a runtime: a described machine, and marks of a balancer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

#ifdef EVENCUBE_TEST_HWLOC

TEST(described_machine, places_the_workers_of_topology) {
  const auto result = evencube({"topology", "--machine", "numa:2 core:2 pu:1", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json machine = result.as_json();
  EXPECT_EQ(machine["units"], 4);
  ASSERT_EQ(machine["workers"].size(), 4U);
  EXPECT_NE(machine["workers"][0]["numa_node"], machine["workers"][2]["numa_node"]);
  EXPECT_THAT(
      machine["reason"].get<std::string>(),
      AllOf(HasSubstr("4 workers"), HasSubstr("numa:2 core:2 pu:1"), HasSubstr("not bound")));
}

TEST(described_machine, runs_a_workload) {
  const auto result = evencube(
      {"run", "spin", "--size", "50", "--task-us", "1", "--machine", "core:3 pu:1", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json()["workers"], 3);
  EXPECT_EQ(result.as_json()["verified"], true);
}

TEST(described_machine, in_the_environment_is_named) {
  const auto result = shell("HWLOC_SYNTHETIC='core:4 pu:1' \"$0\" topology");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("HWLOC_SYNTHETIC=\"core:4 pu:1\" in the environment"));
}

#endif

TEST(described_machine, is_refused_if_it_is_none) {
  for (const std::string line : {"topology", "run spin", "speedup spin"}) {
    auto arguments = words(line);
    arguments.insert(arguments.end(), {"--machine", "banana"});
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_THAT(result.err, HasSubstr("banana")) << line;
  }
  const auto both = evencube({"topology", "--topology", "ring:4", "--machine", "core:2"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--machine"));
}

TEST(marks_of_a_balancer, take_the_place_of_the_trigger) {
  for (const std::string line :
       {"sender_initiated --balancer-option high=10", "gradient --balancer-option high=10",
        "receiver_initiated --balancer-option low=10", "dispatcher --balancer-option low=10"}) {
    const std::string own = line.substr(line.find("-option ") + 8);
    const auto refused = evencube(words("run spin --trigger 5 --balancer " + line));
    EXPECT_EQ(refused.status, 2) << line;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("--trigger"), HasSubstr(own))) << line;
    const auto taken =
        evencube(words("run spin --size 50 --task-us 1 --workers 2 --balancer " + line));
    EXPECT_EQ(taken.status, 0) << taken.err;
  }
  const auto bad =
      evencube(words("run spin --trigger 5 --balancer gradient --balancer-option high=few"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("high"));
  const auto automatic =
      evencube(words("run spin --size 50 --task-us 1 --trigger 5 --balancer sender_initiated"));
  EXPECT_EQ(automatic.status, 0) << automatic.err;
}

}  // namespace
}  // namespace evencube::cli::testing
