// evencube run --hold: one round on real threads that stand still, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

json held(const std::string& arguments) {
  const auto result = evencube(words("run --hold " + arguments + " --json"));
  EXPECT_EQ(result.status, 0) << arguments << ": " << result.err;
  return result.as_json();
}

TEST(held_rounds, have_the_contract_of_their_json) {
  EXPECT_EQ(keys(held("3,0")),
            (std::set<std::string>{"balancer", "transmission", "workers", "costs", "unit", "before",
                                   "planned", "after", "tasks_moved", "difference_before",
                                   "difference_after", "off", "bound"}));
}

// Section 2 of Rim et al. 2003: dem leaves a difference of the number of dimensions here, and oem
// half of it.
TEST(held_rounds, leave_what_the_paper_says) {
  const json dem = held("5,6,6,7 --balancer dem --transmission phased");
  EXPECT_EQ(dem["after"], (json{5, 6, 6, 7}));
  EXPECT_EQ(dem["tasks_moved"], 0);
  const json oem = held("5,6,6,7 --balancer oem --transmission phased");
  EXPECT_EQ(oem["difference_after"], 0);
  const json costly = held("5,6,6,7 --balancer oem --transmission phased --cost 50");
  EXPECT_EQ(costly["before"], (json{250, 300, 300, 350}));
  EXPECT_EQ(costly["after"], (json{300, 300, 300, 300}));
  EXPECT_EQ(costly["unit"], 50);
}

TEST(held_rounds, are_exact_for_every_balancer_where_tasks_cost_the_same) {
  for (const balancer_descriptor& about : registered_balancers()) {
    if (about.guarantees.supports && !about.guarantees.supports(topology::cube(4))) continue;
    const json one = held("17,0,3,9 --cost 10 --balancer " + about.name);
    EXPECT_EQ(one["off"], 0) << about.name;
    EXPECT_EQ(one["bound"], 0) << about.name;
    EXPECT_EQ(one["after"], one["planned"]) << about.name;
  }
}

TEST(held_rounds, say_how_far_from_the_plan_they_may_end) {
  const json one = held("40,0,0,1,0,0,0,2 --cost 1,2,50,7 --transmission pipelined:1");
  EXPECT_EQ(one["unit"], 1);
  EXPECT_EQ(one["bound"], 49);
  EXPECT_LE(one["off"], 49);
  const auto text = evencube(words("run --hold 2,0 --cost 3"));
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("planned in tasks of 3 quanta"),
                              HasSubstr("farthest from the plan: 0")));
}

struct bad {
  std::string line;
  std::string reason;
  friend void PrintTo(const bad& of, std::ostream* to) { *to << of.line; }
};

class bad_rounds : public ::testing::TestWithParam<bad> {};

TEST_P(bad_rounds, are_refused) {
  const auto result = evencube(words("run " + GetParam().line));
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(all, bad_rounds,
                         ::testing::Values(bad{"", "WORKLOAD"}, bad{"--json", "WORKLOAD"},
                                           bad{"--hold 1,x", "--hold"},
                                           bad{"--hold 1,-1", "from 0 to 1000000"},
                                           bad{"--hold 1000000,1", "1000001 tasks in all"},
                                           bad{"--hold 1,,2", "--hold"}, bad{"--cost 5", "--hold"},
                                           bad{"spin --cost 5", "--hold"},
                                           bad{"spin --hold 1,2", "workload spin"},
                                           bad{"--hold 1,2 --cost 0", "from 1 to 65536"},
                                           bad{"--hold 1,2 --cost 65537", "from 1 to 65536"},
                                           bad{"--hold 1,2 --cost few", "--cost"},
                                           bad{"--hold 1,2 --workers 2", "--hold with --workers"},
                                           bad{"--hold 1,2 --repeat 2", "--hold with --repeat"},
                                           bad{"--hold 1,2 --mode thread", "--hold with --mode"},
                                           bad{"--hold 1,2 --balancer magic", "magic"},
                                           bad{"--hold 1,2 --balancer random_stealing", "no plan"},
                                           bad{"--hold 1,2 --transmission pigeon", "pigeon"}));

}  // namespace
}  // namespace evencube::cli::testing
