// The bridge gives the page the plans that the planners make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <evencube/balancers/evaluation.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>

#include "asking.hpp"
#include "starts.hpp"

namespace evencube::lab {
namespace {

using nlohmann::json;

json flat(const phase& transfers) {
  json all = json::array();
  for (const auto& one : transfers) {
    for (const std::int64_t value : {std::int64_t{one.from}, std::int64_t{one.to}, one.quanta}) {
      all.push_back(value);
    }
  }
  return all;
}

TEST(LabBridge, PlansAreThoseOfTheLibrary) {
  for (const char* network : {"hypercube:4", "cube:11", "mesh:3x4", "ring:7", "star:6"}) {
    const auto graph = topology::parse(network);
    const auto loads = make_start("uniform", graph, 7, 50);
    for (const auto& descriptor : registered_balancers()) {
      if (descriptor.guarantees.supports && !descriptor.guarantees.supports(graph)) continue;
      plan expected;
      make_balancer(descriptor.name)
          ->make_plan({.graph = graph, .loads = loads, .seed = 3}, expected);
      const auto given = ask({{"ask", "plan"},
                              {"topology", network},
                              {"loads", loads},
                              {"balancer", descriptor.name},
                              {"seed", 3},
                              {"schedules", true}});
      ASSERT_FALSE(given.contains("error")) << descriptor.name << ": " << given["error"];
      json phases = json::array();
      for (const auto& one : expected.phases) phases.push_back(flat(one));
      EXPECT_EQ(given["phases"], phases) << descriptor.name << " on " << network;
      const auto facts = evaluate(graph, loads, expected);
      EXPECT_EQ(given["final"], json(facts.final_loads));
      EXPECT_EQ(given["differences"].back(), facts.max_difference);
      EXPECT_EQ(given["differences"].size(), expected.phases.size() + 1);
      EXPECT_EQ(given["task_hops"], facts.task_hops);
      EXPECT_EQ(given["max_link"], facts.max_link);
      EXPECT_EQ(given["t_comm"]["phased"], facts.t_comm.phased);
      EXPECT_EQ(given["t_comm"]["overlapped"], facts.t_comm.overlapped);
      EXPECT_EQ(given["t_comm"]["pipelined"], facts.t_comm.pipelined);
      if (!given["bound"].is_null()) {
        EXPECT_LE(given["differences"].back(), given["bound"]) << descriptor.name;
      }
    }
  }
}

TEST(LabBridge, Figures18And19OfRimEtAl) {
  const auto given = ask({{"ask", "plan"},
                          {"topology", "hypercube:3"},
                          {"loads", "15,1 1;1\n1,1,1,1"},
                          {"balancer", "dem"},
                          {"schedules", true}});
  EXPECT_EQ(given["t_comm"]["phased"], 12);
  EXPECT_EQ(given["t_comm"]["overlapped"], 10);
  EXPECT_EQ(given["t_comm"]["pipelined"], 7);
  EXPECT_EQ(given["phases"][0], json({0, 1, 7}));
  for (const char* how : {"phased", "overlapped", "pipelined"}) {
    std::int64_t carried = 0;
    for (const auto& step : given["schedules"][how]) {
      for (std::size_t i = 2; i < step[2].size(); i += 3) carried += step[2][i].get<std::int64_t>();
    }
    EXPECT_EQ(carried, 19) << how;
  }
}

TEST(LabBridge, OptionsAndTheCallerReachThePlanner) {
  json request = {{"ask", "plan"},
                  {"topology", "star:5"},
                  {"loads", {2, 14, 13, 12, 9}},
                  {"balancer", "receiver_initiated"},
                  {"options", {{"low", 6}}},
                  {"initiator", 0}};
  EXPECT_EQ(ask(request)["final"], json({11, 10, 10, 10, 9}));
  request["options"]["rounding"] = "floor";
  EXPECT_EQ(ask(request)["final"], json({8, 11, 11, 11, 9}));
}

TEST(LabBridge, NetworksHaveTheLinksOfTheLibrary) {
  for (const char* network :
       {"hypercube:5", "mesh:3x4", "torus:3x3", "fibonacci:7", "edges:0-1,1-2"}) {
    const auto graph = topology::parse(network);
    const auto given = ask({{"ask", "network"}, {"topology", network}});
    ASSERT_EQ(given["links"].size(), 2 * graph.edges()) << network;
    for (std::size_t i = 0; i < given["links"].size(); i += 2) {
      EXPECT_TRUE(graph.adjacent(given["links"][i], given["links"][i + 1])) << network;
    }
    EXPECT_EQ(given["diameter"], graph.diameter());
    EXPECT_EQ(given["codes"].size(), network[0] == 'f' ? graph.nodes() : 0);
  }
}

TEST(LabBridge, TheCatalogueHasEveryBalancerAndTenExercises) {
  const auto given = ask({{"ask", "catalogue"}});
  std::set<std::string> names;
  for (const auto& one : given["balancers"]) names.insert(one["name"].get<std::string>());
  for (const auto& descriptor : registered_balancers()) EXPECT_EQ(names.count(descriptor.name), 1U);
  EXPECT_EQ(given["exercises"].size(), 10U);
  EXPECT_GE(given["starts"].size(), 6U);
}

TEST(LabStarts, TheWorstLoadsAttainTheBounds) {
  for (unsigned d = 1; d <= 12; ++d) {
    const auto network = "hypercube:" + std::to_string(d);
    for (const auto& [start, balancer, worst] :
         {std::tuple{"worst-dem", "dem", d}, std::tuple{"worst-oem", "oem", (d + 1) / 2}}) {
      const auto made = ask({{"ask", "start"}, {"topology", network}, {"start", start}});
      ASSERT_TRUE(made.contains("loads")) << start << " of " << network;
      const auto given = ask({{"ask", "plan"},
                              {"topology", network},
                              {"loads", made["loads"]},
                              {"balancer", balancer}});
      EXPECT_EQ(given["differences"].back(), worst) << start << " of " << network;
      EXPECT_EQ(given["bound"], worst);
    }
  }
}

TEST(LabStarts, EachGivesOneLoadForEachNodeAndTheSameAgain) {
  const auto starts = ask({{"ask", "catalogue"}})["starts"];
  for (const auto& one : starts) {
    for (const char* network : {"hypercube:0", "hypercube:6", "mesh:5x5"}) {
      const json request = {{"ask", "start"},
                            {"topology", network},
                            {"start", one["name"]},
                            {"seed", 5},
                            {"largest", 30}};
      const auto made = ask(request);
      if (one["cubes_only"] == true && network[0] == 'm') {
        EXPECT_TRUE(made.contains("error")) << one["name"];
        continue;
      }
      ASSERT_TRUE(made.contains("loads")) << one["name"] << " of " << network;
      EXPECT_EQ(made["loads"].size(), topology::parse(network).nodes());
      EXPECT_EQ(made, ask(request));
      for (const auto& load : made["loads"]) EXPECT_GE(load, 0);
    }
  }
}

}  // namespace
}  // namespace evencube::lab
