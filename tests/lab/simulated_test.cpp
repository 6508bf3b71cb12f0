// The Time view shows runs of the simulator, in any pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/statistics.hpp>

#include "asking.hpp"

namespace evencube::lab {
namespace {

using nlohmann::json;

json request_for(const char* scenario) {
  json request = {{"ask", "simulate"}, {"scenario", scenario}, {"seed", 5}};
  if (std::string(scenario) == "mm1-array") {
    request["topology"] = "hypercube:4";
    request["horizon"] = 50;
  }
  return request;
}

json piece(json request, std::int64_t from, std::int64_t stride, std::int64_t samples) {
  request["from"] = from;
  request["stride"] = stride;
  request["samples"] = samples;
  request["loads"] = samples < 100;
  return request;
}

simulator::result whole_run(const char* scenario) {
  const bool small = std::string(scenario) == "mm1-array";
  const auto made = simulator::make_preset(
      scenario, {.topology = small ? "hypercube:4" : "", .seed = 5, .horizon = small ? 50.0 : 0});
  return simulator::simulate(made.what, simulator::random_source(5).replication_seed(0));
}

TEST(LabSimulations, EveryScenarioEndsAsInTheSimulator) {
  const auto scenarios = ask({{"ask", "catalogue"}})["scenarios"];
  EXPECT_EQ(scenarios.size(), simulator::presets().size());
  for (const char* name : {"mm1-array", "hot-spot", "mmc", "batch", "loh-stable", "search-tree"}) {
    const auto expected = whole_run(name);
    json last;
    std::int64_t from = 0;
    do {
      last = ask(piece(request_for(name), from, 2000, 500));
      ASSERT_FALSE(last.contains("error")) << name << ": " << last["error"];
      from = last["samples"]["events"].back();
    } while (last["over"] == false);
    EXPECT_EQ(from, static_cast<std::int64_t>(expected.events)) << name;
    EXPECT_EQ(last["result"]["events"], expected.events) << name;
    EXPECT_EQ(last["result"]["makespan"], expected.makespan) << name;
    EXPECT_EQ(last["result"]["mean_response"], expected.mean_response) << name;
    const auto hash = std::stoull(last["result"]["hash"].get<std::string>(), nullptr, 16);
    EXPECT_EQ(hash, simulator::hash_of({expected})) << name;
  }
}

TEST(LabSimulations, AnAnswerDependsOnItsRequestAlone) {
  const auto first = piece(request_for("hot-spot"), 0, 7, 50);
  const auto second = piece(request_for("hot-spot"), 350, 3, 50);
  const auto other = piece(request_for("loh-unstable"), 100, 1, 5);
  const auto one = answer(first.dump());
  const auto two = answer(second.dump());  // goes on where the first one ended
  const auto three = answer(other.dump());
  EXPECT_EQ(answer(second.dump()), two);  // begins again, after another run
  EXPECT_EQ(answer(second.dump()), two);
  EXPECT_EQ(answer(first.dump()), one);
  EXPECT_EQ(answer(other.dump()), three);
}

TEST(LabSimulations, SamplesJoin) {
  const auto first = ask(piece(request_for("loh-stable"), 0, 11, 20));
  const auto second = ask(piece(request_for("loh-stable"), 220, 11, 20));
  ASSERT_EQ(first["samples"]["events"].size(), 21U);
  EXPECT_EQ(first["loads"].back(), second["loads"].front());
  EXPECT_EQ(first["samples"]["time"].back(), second["samples"]["time"].front());
  EXPECT_TRUE(second["samples"]["response"].front().is_null());
  std::int64_t sum = 0;
  for (const auto& load : first["loads"][0]) sum += load.get<std::int64_t>();
  EXPECT_EQ(sum, 1600);
  EXPECT_EQ(first["samples"]["in_system"][0], 1600);
  for (std::size_t i = 0; i <= 20; ++i) {
    EXPECT_EQ(first["samples"]["events"][i], 11 * i);
    std::int64_t least = INT64_MAX;
    std::int64_t greatest = 0;
    for (const auto& load : first["loads"][i]) {
      least = std::min(least, load.get<std::int64_t>());
      greatest = std::max(greatest, load.get<std::int64_t>());
    }
    EXPECT_EQ(first["samples"]["difference"][i], greatest - least);
  }
}

TEST(LabSimulations, SettingsReachTheSimulator) {
  const auto ended = [](json request) {
    request["stride"] = 100000;
    const auto given = ask(request);
    EXPECT_FALSE(given.contains("error")) << given["error"];
    return given["result"];
  };
  json request = {{"ask", "simulate"}, {"scenario", "batch"}, {"topology", "hypercube:4"}};
  const auto plain = ended(request);
  EXPECT_EQ(plain["completed"], 1024);
  EXPECT_GT(plain["performance"], 0.5);
  const json settings = {{"seed", 2},      {"balancer", "diffusion"}, {"service", "constant:1"},
                         {"latency", 0.5}, {"per_quantum", 0.25},     {"transmission", "pipelined"},
                         {"horizon", 20}};
  for (const auto& [name, value] : settings.items()) {
    auto other = request;
    other[name] = value;
    EXPECT_NE(ended(other), plain) << name;
  }
  request["balancer"] = "none";
  EXPECT_TRUE(ended(request)["performance"].is_null());
  request = piece(request_for("mm1-array"), 0, 100000, 1);
  const auto queues = ask(request)["result"];
  request["load"] = 0.3;
  const auto fewer = ask(request)["result"];
  EXPECT_LT(fewer["completed"], queues["completed"]);
  EXPECT_LT(fewer["utilisation"], 0.4);
  request["balancer"] = "oem";
  const auto balanced = ask(request)["result"];
  request["period"] = 1;
  EXPECT_GT(ask(request)["result"]["rounds"], balanced["rounds"]);
}

TEST(LabSimulations, TheTableOfLohIsThatOfTheSimulator) {
  const auto table =
      ask({{"ask", "strategies"}, {"scenario", "loh-unstable"}, {"seed", 3}, {"runs", 2}});
  ASSERT_FALSE(table.contains("error")) << table["error"];
  ASSERT_EQ(table["networks"].size(), 4U);
  ASSERT_EQ(table["strategies"].size(), 5U);
  EXPECT_EQ(table["networks"][3]["name"], "linear:16");
  EXPECT_EQ(table["strategies"][2]["name"], "receiver_initiated");
  double sum = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto seed = simulator::random_source(3).replication_seed(i);
    const auto with = simulator::simulate(
        simulator::make_preset("loh-unstable",
                               {.topology = "linear:16", .balancer = "receiver_initiated"})
            .what,
        seed);
    const auto without = simulator::simulate(
        simulator::make_preset("loh-unstable", {.balancer = "none"}).what, seed);
    sum += simulator::normalised_performance(without.makespan, with.makespan, with.work / 16);
  }
  EXPECT_NEAR(table["performance"][3][2].get<double>(), sum / 2, 1e-12);
}

}  // namespace
}  // namespace evencube::lab
