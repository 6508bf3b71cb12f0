// evencube plan: the contract of its JSON, the papers' examples, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json plan(const std::string& arguments) {
  const auto result = evencube(words("plan " + arguments + " --json"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.as_json();
}

TEST(plan_json, is_exactly_the_contract) {
  EXPECT_EQ(plan("dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1"), json::parse(R"({
    "balancer": "dem", "topology": "hypercube:3", "nodes": 8,
    "initial": [15, 1, 1, 1, 1, 1, 1, 1],
    "final": [3, 3, 3, 3, 3, 3, 2, 2],
    "phases": [
      [{"from": 0, "to": 1, "quanta": 7}],
      [{"from": 0, "to": 2, "quanta": 3}, {"from": 1, "to": 3, "quanta": 3}],
      [{"from": 0, "to": 4, "quanta": 2}, {"from": 1, "to": 5, "quanta": 2},
       {"from": 2, "to": 6, "quanta": 1}, {"from": 3, "to": 7, "quanta": 1}]],
    "max_difference": 1, "task_hops": 19, "max_link": 7,
    "t_comm": {"phased": 12, "overlapped_rounds": 10, "overlapped": 10, "pipelined": 7}})"));
}

TEST(plan_json, of_the_odd_even_rule) {
  const auto result = plan("oem --topology hypercube:1 --loads 4,7");
  EXPECT_EQ(result["final"], json::parse("[5, 6]"));
  EXPECT_EQ(result["phases"], json::parse(R"([[{"from": 1, "to": 0, "quanta": 1}]])"));
}

TEST(plan_json, is_one_line) {
  const auto result = evencube(words("plan oem --loads 4,7 --json"));
  EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
}

TEST(plan_topology, is_a_cube_of_as_many_nodes_as_loads_when_none_is_given) {
  EXPECT_EQ(plan("dem --loads 6,0,0")["topology"], "cube:3");
}

TEST(plan_options, are_taken_by_name_and_as_pairs) {
  const auto ascending = plan("dem --topology hypercube:2 --loads 9,0,0,0");
  const auto by_name = plan("dem --topology hypercube:2 --loads 9,0,0,0 --order descending");
  const auto by_pair = plan("dem --topology hypercube:2 --loads 9,0,0,0 --option order=descending");
  EXPECT_EQ(by_name["phases"][0][0]["to"], 2);
  EXPECT_EQ(ascending["phases"][0][0]["to"], 1);
  EXPECT_EQ(by_name, by_pair);
}

// Parts of quanta are exact: no double is a third, and the double next to 0.1 is more than a tenth.
TEST(plan_quanta, are_products_without_rounding) {
  EXPECT_EQ(plan("diffusion --topology hypercube:2 --loads 4,1,1,1")["phases"],
            json::parse(R"([[{"from":0,"to":1,"quanta":1},{"from":0,"to":2,"quanta":1}]])"));
  const auto five = plan(
      "diffusion --topology hypercube:5 --iterations 1 --loads "
      "6,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
  EXPECT_EQ(five["task_hops"], 5);
  EXPECT_EQ(five["final"][0], 1);
  EXPECT_EQ(plan("gradient --topology linear:2 --loads 20,0 --low 5 --high 10 --portion 0.1 "
                 "--initiator 0")["phases"],
            json::parse(R"([[{"from":0,"to":1,"quanta":1}]])"));
  EXPECT_EQ(plan("prediction --topology complete:2 --loads 249,673 --initiator 1")["phases"],
            json::parse(R"([[{"from":1,"to":0,"quanta":106}]])"));
  // A capacity of a tenth next to one of three tenths.
  EXPECT_EQ(plan("locality --topology linear:2 --loads 4,0 --capacities 0.1,0.3")["final"],
            json::parse("[1, 3]"));
}

TEST(plan_options, give_dem_the_rule_of_table_1) {
  const std::string loads = "dem --topology hypercube:1 --loads ";
  EXPECT_EQ(plan(loads + "7,14")["final"], json::parse("[10, 11]"));
  EXPECT_EQ(plan(loads + "7,14 --odd lower-if-moving")["final"], json::parse("[11, 10]"));
  EXPECT_EQ(plan(loads + "7,8 --odd lower-if-moving")["final"], json::parse("[7, 8]"));
}

TEST(plan_options, a_seed_makes_random_plans_reproducible) {
  const std::string line = "random --topology hypercube:4 --loads 9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9";
  EXPECT_EQ(plan(line + " --seed 1"), plan(line + " --seed 1"));
  EXPECT_NE(plan(line + " --seed 1"), plan(line + " --seed 2"));
}

TEST(plan_text, shows_loads_transfers_and_costs) {
  const auto result = evencube(words("plan dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1"));
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("final    3 3 3 3 3 3 2 2"));
  EXPECT_THAT(result.out, HasSubstr("    0     0   1       7\n"));
  EXPECT_THAT(result.out, HasSubstr("19 task-hops"));
  EXPECT_THAT(result.out, HasSubstr("phased 12, overlapped 10 (in rounds 10), pipelined 7"));
}

// Two hops for the largest possible load are more than a number can hold.
TEST(plan_text, says_where_a_sum_stops) {
  const std::string all =
      "dem --topology hypercube:4 --loads 9223372036854775807,0,0,0,0,0,0,0,"
      "0,0,0,0,0,0,0,0";
  EXPECT_THAT(evencube(words("plan " + all)).out,
              HasSubstr("at least 9223372036854775807 task-hops"));
  EXPECT_EQ(plan(all)["task_hops"], 9223372036854775807);
}

TEST(plan_text, says_when_there_is_nothing_to_move) {
  EXPECT_THAT(evencube(words("plan dem --loads 2,2")).out, HasSubstr("nothing to move"));
}

struct bad {
  std::string arguments;
  std::string reason;

  friend void PrintTo(const bad& one, std::ostream* out) { *out << one.arguments; }
};

class bad_plans : public ::testing::TestWithParam<bad> {};

TEST_P(bad_plans, are_refused_with_the_reason) {
  const auto result = evencube(words("plan " + GetParam().arguments + " --json"));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    all, bad_plans,
    ::testing::Values(
        bad{"", "BALANCER"}, bad{"dem", "--loads"},
        bad{"magic --loads 1,2", "unknown balancer \"magic\""}, bad{"magic --loads 1,2", "oem"},
        bad{"dem --loads 1,-2", "the load of node 1 is -2"},
        bad{"dem --loads 1,x", "\"x\", is not a whole number"},
        bad{"dem --loads 1.5,2", "\"1.5\", is not a whole number"},
        bad{"dem --loads 1,,2", "entry 1, \"\", is not a whole number"},
        bad{"dem --loads 9223372036854775808,1", "does not fit 64 bits"},
        bad{"dem --loads 9223372036854775807,1", "sum of the loads"},
        bad{"dem --topology hypercube:3 --loads 1,2", "2 entries, but hypercube:3 has 8 nodes"},
        bad{"dem --topology hypercube:1 --loads 1,2,3", "3 entries, but hypercube:1 has 2 nodes"},
        bad{"dem --topology klein-bottle:3 --loads 1", "klein-bottle"},
        bad{"dem --topology hypercube:99 --loads 1", "99"},
        bad{"dem --topology ring:4 --loads 1,2,3,4", "dem"},
        bad{"dem --loads 1,2 --option order", "must be of the form key=value"},
        bad{"dem --loads 1,2 --option colour=red", "has no option \"colour\""},
        bad{"dem --loads 1,2 --order sideways", "sideways"},
        bad{"dem --loads 1,2 --odd higher", "larger, lower-if-moving, random"},
        bad{"oem --loads 1,2 --odd larger", "has no option \"odd\""},
        bad{"gradient --loads 1,2 --portion 0.1234567890123456789", "at most 18 places"},
        bad{"gradient --loads 1,2 --portion 1.5", "decimals from 0 to 1"},
        bad{"diffusion --topology ring:4 --loads 1,2,3,4 --weight 0.51", "= 1/2"},
        bad{"prediction --loads 1,2 --index guessed", "printed, predicted"},
        bad{"dem --loads 1,2 --order ascending --option order=ascending", "given twice"},
        bad{"dem --loads 1,2 --option order=ascending --option order=ascending", "given twice"},
        bad{"dem --loads 1,2 --capacities 1", "1 capacities for 2 nodes"},
        bad{"dem --loads 1,2 --capacities 1,-1", "capacity of node 1"},
        bad{"dem --loads 1,2 --capacities 1,nan", "is not a number"},
        bad{"gradient --loads 1,2 --initiator 2", "from 0 to 1"},
        bad{"dem --loads 1,2 --initiator 0", "--initiator 0: dem always plans for all nodes"},
        bad{"dem --loads 1,2 --colour red", "--colour"}));

// Cybenko 1989: the best uniform weight, and the contraction of one iteration with it.
TEST(plan_of_diffusion, tells_its_weight_and_its_contraction) {
  struct known {
    const char* topology;
    const char* loads;
    double alpha;
    double gamma;
  };
  for (const auto& [topology, loads, alpha, gamma] :
       {known{"hypercube:3", "8,0,0,0,0,0,0,0", 0.25, 0.5},
        known{"linear:16", "8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", 0.5, 0.98079},
        known{"ring:16", "8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", 0.48167, 0.92667},
        known{"mesh:4x4", "8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", 0.25, 0.85355},
        known{"fibonacci-composite:16", "8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", 1.0 / 6, 0.88782},
        known{"star:8", "8,0,0,0,0,0,0,0", 1.0 / 7, 0.85714}}) {
    const auto facts = plan(std::string{"diffusion --topology "} + topology + " --loads " + loads);
    EXPECT_NEAR(facts.at("alpha").get<double>(), alpha, 1e-5) << topology;
    EXPECT_NEAR(facts.at("gamma").get<double>(), gamma, 1e-5) << topology;
  }
  const auto asked = plan("diffusion --topology hypercube:3 --loads 8,0,0,0,0,0,0,0 --weight 0.1");
  EXPECT_NEAR(asked.at("alpha").get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(asked.at("gamma").get<double>(), 0.8, 1e-12);
  EXPECT_THAT(
      evencube(words("plan diffusion --topology ring:4 --loads 1,2,3,4")).out,
      ::testing::HasSubstr("weight alpha 0.333333; one iteration contracts by gamma 0.333333"));
}

TEST(plan_options, without_a_value_are_refused) {
  for (const std::string option : {"--topology", "--loads", "--capacities", "--initiator", "--seed",
                                   "--balancer-option", "--low"}) {
    const auto result = evencube({"plan", "receiver_initiated", "--loads", "1,2", option, ""});
    EXPECT_EQ(result.status, 2) << option;
    EXPECT_THAT(result.err, ::testing::HasSubstr(option)) << option;
    EXPECT_EQ(result.out, "") << option;
  }
  EXPECT_EQ(evencube({"plan", "", "--loads", "1,2"}).status, 2);
}

TEST(plan, gives_bounds_where_the_pipelined_time_takes_too_long) {
  std::string loads = "1000000007";
  for (int i = 1; i < 1024; ++i) loads += ",0";
  const auto facts = plan("dem --loads " + loads);
  const auto time = facts.at("t_comm");
  EXPECT_TRUE(time.at("pipelined").is_null());
  EXPECT_LT(facts.at("max_link"), time.at("overlapped"));
  EXPECT_THAT(evencube(words("plan dem --loads " + loads)).out,
              ::testing::HasSubstr("pipelined between " + facts.at("max_link").dump() + " and " +
                                   time.at("overlapped").dump()));
  // On few nodes the time is found however large the loads are.
  EXPECT_EQ(plan("dem --loads 1000000007,0,0,0,0,0,0,0").at("t_comm").at("pipelined"), 500000003);
}

TEST(plan_of_locality, tells_its_packets) {
  // On the line 0 1 3 2: blocks of 2 of items 0 .. 7. Node 0 has six of the items and node 2 has
  // two.
  const auto facts = plan("locality --topology hypercube:2 --loads 6,0,2,0");
  EXPECT_EQ(facts.at("packets"), json::parse(R"([{"from":0,"to":1,"first":2,"count":2},
                                                {"from":0,"to":3,"first":4,"count":2}])"));
  // Two items go one position to the right and two items go two positions. The movements: both
  // together and then the further packet alone; both at once, after a vector sum; the further one
  // in two hops, then the nearer one.
  const auto movements = facts.at("movements");
  const auto all = [&](const char* what) {
    std::vector<int> values;
    for (const auto& way : movements) values.push_back(way.at(what).get<int>());
    return values;
  };
  EXPECT_THAT(all("steps"), ::testing::ElementsAre(2, 1, 3));
  EXPECT_THAT(all("startups"), ::testing::ElementsAre(2, 4, 3));
  EXPECT_THAT(all("transfers"), ::testing::ElementsAre(3, 2, 3));
  EXPECT_FALSE(plan("oem --topology hypercube:2 --loads 6,0,2,0").contains("packets"));
  EXPECT_THAT(evencube(words("plan locality --loads 1,1")).out, ::testing::HasSubstr("no packets"));
}

}  // namespace
}  // namespace evencube::cli::testing
