#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/balancers/topology.hpp>
#include <evencube/pages/trace_page.hpp>
#include <evencube/trace/page.hpp>
#include <evencube/trace/readings.hpp>

namespace evencube::pages {
namespace {

using json = nlohmann::ordered_json;

double seconds(double nanoseconds) { return nanoseconds / 1e9; }

double share_of_all(const checked_trace& given, const trace_figures& figures, double time) {
  return time /
         (static_cast<double>(given.source.makespan) * static_cast<double>(figures.workers.size()));
}

json durations_json(const trace_figures::durations& of) {
  json bins = json::array();
  for (std::size_t i = 0; i < of.by_power_of_two.size(); ++i) {
    const double from = i == 0 ? 0 : static_cast<double>(std::uint64_t{1} << i);
    bins.push_back({{"from", seconds(from)},
                    {"to", seconds(static_cast<double>(std::uint64_t{2} << i))},
                    {"tasks", of.by_power_of_two[i]}});
  }
  return {{"min", seconds(of.least)},    {"median", seconds(of.median)}, {"p90", seconds(of.p90)},
          {"p99", seconds(of.p99)},      {"max", seconds(of.most)},      {"mean", seconds(of.mean)},
          {"histogram", std::move(bins)}};
}

json types_json(const checked_trace& given, const trace_figures& figures) {
  json types = json::array();
  for (const auto& one : figures.types) {
    types.push_back({{"name", traces::name_in(given.source, one.name)},
                     {"tasks", one.count},
                     {"busy_seconds", seconds(one.computed)},
                     {"durations", durations_json(one.tasks)}});
  }
  return types;
}

json regions_json(const checked_trace& given, const trace_figures& figures) {
  json regions = json::array();
  for (const auto& one : figures.regions) {
    regions.push_back({{"name", traces::name_in(given.source, one.name)},
                       {"count", one.count},
                       {"seconds", seconds(one.lasted)},
                       {"longest_seconds", seconds(one.longest)}});
  }
  return regions;
}

json counters_json(const checked_trace& given, const trace_figures& figures) {
  json counters = json::array();
  for (const auto& one : figures.counters) {
    counters.push_back({{"name", traces::name_in(given.source, one.name)},
                        {"count", one.count},
                        {"least", one.least},
                        {"most", one.most},
                        {"last", one.last}});
  }
  return counters;
}

/// The result of a replay, or the reason why there is none.
template <typename Replay>
json forecast_json(const simulator::what_if& one, bool recorded, Replay&& replay) {
  json row{{"balancer", one.balancer}, {"topology", one.topology}, {"recorded", recorded}};
  try {
    const simulator::result& outcome = replay();
    row["seconds"] = outcome.makespan;
    row["speedup"] = outcome.speedup;
    row["tasks_moved"] = outcome.tasks_moved;
  } catch (const std::invalid_argument& problem) {
    row["refused"] = problem.what();
  }
  return row;
}

/// The recorded configuration first; then well-known strategies on the recorded machine, and the
/// recorded strategy on half, twice and four times as many workers. For a program of more than
/// 100000 tasks only the recorded configuration, because its replays take seconds.
json usual_forecasts(const checked_trace& given) {
  constexpr std::size_t most_tasks = 100'000;
  const simulator::what_if& recorded = given.configuration;
  json rows = json::array();
  rows.push_back(forecast_json(recorded, true, [&] { return given.outcome; }));
  if (given.source.tasks.size() > most_tasks) return rows;
  const auto add = [&](const simulator::what_if& one) {
    rows.push_back(
        forecast_json(one, false, [&] { return simulator::replay(given.program, one); }));
  };
  for (const char* const name : {"none", "dem", "oem", "cwa", "diffusion", "random_stealing"}) {
    if (name == recorded.balancer) continue;
    simulator::what_if one = recorded;
    one.balancer = name;
    one.options.clear();
    add(one);
  }
  const std::size_t workers = topology::parse(recorded.topology).nodes();
  for (const std::size_t count : {workers / 2, 2 * workers, 4 * workers}) {
    if (count == 0 || count > traces::most_trace_workers) continue;
    simulator::what_if one = recorded;
    one.topology = "cube:" + std::to_string(count);
    one.capacities.clear();
    add(one);
  }
  return rows;
}

json json_of(const checked_trace& given, const trace_figures& figures) {
  const traces::trace& source = given.source;
  json workers = json::array();
  for (const auto& one : figures.workers) {
    workers.push_back({{"tasks", one.tasks},
                       {"busy_seconds", seconds(one.busy)},
                       {"received", one.received},
                       {"sent", one.sent}});
  }
  json sent = json::array();
  for (const auto& [way, tasks] : figures.sent) {
    sent.push_back({{"from", way.first}, {"to", way.second}, {"tasks", tasks}});
  }
  return {{"workload", source.workload},
          {"balancer", source.balancer},
          {"transmission", source.transmission},
          {"topology", source.topology},
          {"workers", figures.workers.size()},
          {"tasks", source.tasks.size()},
          {"seconds", seconds(static_cast<double>(source.makespan))},
          {"cut", source.cut},
          {"busy_seconds", seconds(figures.busy)},
          {"busy_share", share_of_all(given, figures, figures.busy)},
          {"idle_seconds_while_tasks_waited", seconds(figures.idle_with_work)},
          {"idle_seconds_without_tasks", seconds(figures.idle_without_work)},
          {"critical_path_seconds", seconds(figures.critical_path)},
          {"critical_tasks", figures.critical_tasks.size()},
          {"bound", name_of(figures.bound)},
          {"waits", source.waits.size()},
          {"wait_seconds", seconds(figures.waited)},
          {"rounds", source.rounds.size()},
          {"rounds_planned_alike", given.rounds.equal},
          {"imbalance_before", figures.imbalance_before},
          {"imbalance_after", figures.imbalance_after},
          {"moves", source.migrations.size()},
          {"moved_tasks", figures.moved_tasks},
          {"moved_by_rounds", figures.moved_by_rounds},
          {"moved_by_pulls", figures.moved_by_pulls},
          {"moved_by_rescues", figures.moved_by_rescues},
          {"forecast_error", given.forecast_error()},
          {"durations", durations_json(figures.tasks)},
          {"types", types_json(given, figures)},
          {"regions", regions_json(given, figures)},
          {"counters", counters_json(given, figures)},
          {"per_worker", std::move(workers)},
          {"sent", std::move(sent)}};
}

/// Bytes that are no UTF-8 are replaced.
std::string text_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string date_text(std::time_t time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts)};
}

std::string figures_json(const checked_trace& given, const trace_figures& figures) {
  return text_of(json_of(given, figures));
}

void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const recording_file& from, const traces::byte_sink& to) {
  const traces::trace& source = given.source;
  const json origin = {{"date", source.recorded_at.empty() && from.time ? date_text(*from.time)
                                                                        : source.recorded_at},
                       {"machine", source.recorded_on},
                       {"command", source.recorded_by},
                       {"bytes", from.bytes}};
  const json about = {{"figures", json_of(given, figures)},
                      {"origin", origin},
                      {"sentence", sentence_of(figures.bound)},
                      {"what_if", usual_forecasts(given)},
                      {"critical", figures.critical_tasks}};
  traces::write_page(source, text_of(about), to);
}

}  // namespace evencube::pages
