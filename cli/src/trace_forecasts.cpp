#include "trace_forecasts.hpp"

#include <fmt/core.h>

#include <array>
#include <evencube/balancers/topology.hpp>
#include <stdexcept>
#include <utility>

namespace evencube::cli {
namespace {

constexpr std::size_t most_tasks = 100'000;
constexpr std::array strategies{"none", "dem", "oem", "cwa", "diffusion", "random_stealing"};

trace_forecast replayed(const checked_trace& given, simulator::what_if configuration) {
  trace_forecast made{{std::move(configuration), false, {}}, {}};
  try {
    made.replayed.outcome = simulator::replay(given.program, made.replayed.configuration);
  } catch (const std::invalid_argument& problem) {
    made.refused = problem.what();
  }
  return made;
}

}  // namespace

std::vector<trace_forecast> usual_forecasts(const checked_trace& given) {
  std::vector<trace_forecast> made{{given.recorded, {}}};
  if (given.source.tasks.size() > most_tasks) return made;
  const simulator::what_if& recorded = given.recorded.configuration;
  for (const char* const name : strategies) {
    if (name == recorded.balancer) continue;
    simulator::what_if one = recorded;
    one.balancer = name;
    one.options.clear();
    made.push_back(replayed(given, std::move(one)));
  }
  const std::size_t workers = topology::parse(recorded.topology).nodes();
  for (const std::size_t count : {workers / 2, 2 * workers, 4 * workers}) {
    if (count == 0 || count > traces::most_trace_workers) continue;
    simulator::what_if one = recorded;
    one.topology = fmt::format("cube:{}", count);
    one.capacities.clear();
    made.push_back(replayed(given, std::move(one)));
  }
  return made;
}

json to_json(const std::vector<trace_forecast>& forecasts) {
  json rows = json::array();
  for (const auto& [one, refused] : forecasts) {
    json row{{"balancer", one.configuration.balancer},
             {"topology", one.configuration.topology},
             {"recorded", one.recorded}};
    if (refused.empty()) {
      row["seconds"] = one.outcome.makespan;
      row["speedup"] = one.outcome.speedup;
      row["tasks_moved"] = one.outcome.tasks_moved;
    } else {
      row["refused"] = refused;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace evencube::cli
