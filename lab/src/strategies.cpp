#include "strategies.hpp"

#include <array>
#include <string>
#include <vector>

#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/statistics.hpp>

#include "limits.hpp"
#include "scenarios.hpp"

namespace evencube::lab {
namespace {

using namespace simulator;

struct named {
  const char* name;
  const char* label;
};

constexpr std::array networks{named{"mesh:4x4", "4 x 4 mesh"}, named{"hypercube:4", "Hypercube"},
                              named{"fibonacci-composite:16", "Fibonacci cube"},
                              named{"linear:16", "Line"}};
constexpr std::array strategies{named{"gradient", "GM"}, named{"sender_initiated", "SI"},
                                named{"receiver_initiated", "RI"}, named{"dispatcher", "LBC"},
                                named{"prediction", "Pred"}};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

template <std::size_t Count>
json listed(const std::array<named, Count>& all) {
  json list = json::array();
  for (const named& one : all) list.push_back({{"name", one.name}, {"label", one.label}});
  return list;
}

}  // namespace

json strategies_compared(const json& request) {
  const auto name = text_member(request, "scenario");
  if (!name.starts_with("loh-")) {
    throw refusal("The strategies are compared in the scenarios of Loh et al., not in " +
                  in_quotes(name) + ".");
  }
  const auto seed = seed_of(request);
  const auto runs = static_cast<std::uint64_t>(number_member(request, "runs", 1, most_runs, 5));
  const random_source source(seed);
  std::vector<double> without;  // makespans without balancing
  std::vector<double> optimum;  // and on one node of the speed of all together
  for (std::uint64_t i = 0; i < runs; ++i) {
    const auto alone = make_preset(name, {.balancer = "none", .seed = seed});
    const result found = simulate(alone.what, source.replication_seed(i));
    without.push_back(found.makespan);
    optimum.push_back(found.work / static_cast<double>(alone.graph->nodes()));
  }
  json performances = json::array();
  json makespans = json::array();
  for (const named& network : networks) {
    json performance_row = json::array();
    json makespan_row = json::array();
    for (const named& strategy : strategies) {
      const auto made =
          make_preset(name, {.topology = network.name, .balancer = strategy.name, .seed = seed});
      std::vector<double> performance;
      std::vector<double> makespan;
      for (std::uint64_t i = 0; i < runs; ++i) {
        const result found = simulate(made.what, source.replication_seed(i));
        makespan.push_back(found.makespan);
        performance.push_back(normalised_performance(without[i], found.makespan, optimum[i]));
      }
      performance_row.push_back(mean_of(performance));
      makespan_row.push_back(mean_of(makespan));
    }
    performances.push_back(std::move(performance_row));
    makespans.push_back(std::move(makespan_row));
  }
  return {{"scenario", name},
          {"runs", runs},
          {"networks", listed(networks)},
          {"strategies", listed(strategies)},
          {"performance", std::move(performances)},
          {"makespan", std::move(makespans)},
          {"without", mean_of(without)},
          {"optimum", mean_of(optimum)}};
}

}  // namespace evencube::lab
