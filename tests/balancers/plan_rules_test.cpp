#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::HasSubstr;
using testing::loads_type;

std::string broken(const plan& made, const loads_type& loads = {5, 0, 0, 3}) {
  return testing::refusal([&] { validate_plan(topology::hypercube(2), loads, made); });
}

TEST(validate_plan, names_the_broken_rule) {
  EXPECT_EQ(broken({{{{0, 1, 5}}, {{1, 3, 5}}}}), "");
  EXPECT_THAT(broken({{{{0, 4, 1}}}}), HasSubstr("nodes are 0 to 3"));
  EXPECT_THAT(broken({{{{0, 1, 0}}}}), HasSubstr("at least 1"));
  EXPECT_THAT(broken({{{{0, 1, -2}}}}), HasSubstr("at least 1"));
  EXPECT_THAT(broken({{{{1, 1, 1}}}}), HasSubstr("itself"));
  EXPECT_THAT(broken({{{{0, 3, 1}}}}), HasSubstr("no such link"));
  EXPECT_THAT(broken({{{{0, 1, 6}}}}), HasSubstr("only 5 left"));
  EXPECT_THAT(broken({{{{0, 1, 3}, {0, 2, 3}}}}), HasSubstr("phase 0: transfer 0 -> 2"));
  EXPECT_THAT(broken({{{{0, 1, 1}, {0, 1, 1}}}}), HasSubstr("twice"));
  // What arrives in a phase cannot leave in it.
  EXPECT_THAT(broken({{{{0, 1, 5}, {1, 3, 5}}}}), HasSubstr("node 1 has only 0"));
  EXPECT_THAT(broken({}, {1, 2, 3}), HasSubstr("3 loads for 4 nodes"));
}

TEST(check_request, names_the_bad_value) {
  const auto graph = topology::cube(3);
  const auto refusal = [&](const loads_type& loads, std::vector<double> capacities = {}) {
    return testing::refusal([&] { testing::plan_for("dem", graph, loads, {}, capacities); });
  };
  constexpr load_type most = std::numeric_limits<load_type>::max();
  EXPECT_THAT(refusal({1, 2}), HasSubstr("2 loads for cube:3, which has 3 nodes"));
  EXPECT_THAT(refusal({1, -2, 3}), HasSubstr("load of node 1 is -2"));
  EXPECT_THAT(refusal({most, 0, 1}), HasSubstr("exceeds 9223372036854775807 at node 2"));
  EXPECT_EQ(refusal({most, 0, 0}), "");
  EXPECT_THAT(refusal({1, 2, 3}, {1, 1}), HasSubstr("2 capacities for 3 nodes"));
  EXPECT_THAT(refusal({1, 2, 3}, {1, -1, 1}), HasSubstr("capacity of node 1"));
  EXPECT_THAT(refusal({1, 2, 3}, {0, 0, 0}), HasSubstr("all capacities are 0"));
  EXPECT_THAT(refusal({1, 2, 3}, {1, std::numeric_limits<double>::infinity(), 1}),
              HasSubstr("capacity of node 1"));
}

TEST(evaluate, a_plan_near_the_largest_load) {
  constexpr load_type most = std::numeric_limits<load_type>::max();
  const auto graph = topology::hypercube(4);
  loads_type loads(16, 0);
  loads[5] = most;
  const auto found = evaluate(graph, loads, testing::plan_for("dem", graph, loads));
  EXPECT_LE(found.max_difference, 4);
  EXPECT_EQ(found.task_hops, most);  // 2 * most, saturated
  EXPECT_EQ(found.t_comm.pipelined, found.max_link);
  EXPECT_EQ(found.max_link, most / 2);
}

}  // namespace
}  // namespace evencube
