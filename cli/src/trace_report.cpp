#include "trace_report.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <evencube/balancers/topology.hpp>
#include <evencube/trace/page.hpp>
#include <evencube/trace/readings.hpp>
#include <stdexcept>
#include <utility>

#include "number_text.hpp"
#include "recording_origin.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

/// The most rows of a table, because a terminal has no room for more; --json has all rows.
constexpr std::size_t most_rows = 64;

double seconds(double nanoseconds) { return nanoseconds / 1e9; }

std::string time_text(double nanoseconds) { return duration_text(seconds(nanoseconds)); }

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

std::string workers_text(const checked_trace& given, const trace_figures& figures) {
  text_table table{{"worker", "tasks", "busy", "of the time", "received", "sent"}};
  for (std::size_t w = 0; w < figures.workers.size() && w < most_rows; ++w) {
    const auto& one = figures.workers[w];
    table.add_row(w, one.tasks, time_text(one.busy),
                  share_text(one.busy / static_cast<double>(given.source.makespan)), one.received,
                  one.sent);
  }
  const auto left_out = figures.workers.size() - std::min(figures.workers.size(), most_rows);
  return table.to_string() +
         (left_out == 0 ? "" : fmt::format("and {} more workers: --json has them\n", left_out));
}

std::string rounds_text(const checked_trace& given, const trace_figures& figures) {
  if (given.source.rounds.empty()) return "no rounds";
  return fmt::format("{} rounds, largest load over the mean {:.2f} before and {:.2f} after",
                     given.source.rounds.size(), figures.imbalance_before, figures.imbalance_after);
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

/// Tables of the names that the program gave, as far as there are any. Of many names, the first
/// ones.
std::string names_text(const checked_trace& given, const trace_figures& figures) {
  constexpr std::size_t most_letters = 48;
  constexpr std::size_t most_names = 12;
  std::string text;
  const auto add = [&](text_table table, const auto& all, const auto& add_row) {
    for (std::size_t i = 0; i < std::min(all.size(), most_names); ++i) {
      const auto name = traces::name_in(given.source, all[i].name);
      add_row(table, visible_and_short(name, most_letters), all[i]);
    }
    if (!all.empty()) text += table.to_string() + "\n";
  };
  add(text_table{{"<task", "tasks", "computing", "median", "longest"}}, figures.types,
      [](text_table& table, const std::string& name, const trace_figures::type& one) {
        table.add_row(name, one.count, time_text(one.computed), time_text(one.tasks.median),
                      time_text(one.tasks.most));
      });
  add(text_table{{"<region", "times", "in all", "longest"}}, figures.regions,
      [](text_table& table, const std::string& name, const trace_figures::region& one) {
        table.add_row(name, one.count, time_text(one.lasted), time_text(one.longest));
      });
  add(text_table{{"<counter", "times", "least", "most", "last"}}, figures.counters,
      [](text_table& table, const std::string& name, const trace_figures::counter& one) {
        table.add_row(name, one.count, fmt::format("{:g}", one.least),
                      fmt::format("{:g}", one.most), fmt::format("{:g}", one.last));
      });
  return text;
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

/// What the head of a page says of the recording. A recording without a date has that of its file.
json origin_json(const traces::trace& source, const std::string& file) {
  struct stat found = {};
  const bool known = ::stat(file.c_str(), &found) == 0;
  return {{"date",
           source.recorded_at.empty() && known ? date_text(found.st_mtime) : source.recorded_at},
          {"machine", source.recorded_on},
          {"command", source.recorded_by},
          {"bytes", known ? found.st_size : 0}};
}

/// The recorded configuration first; then well-known strategies on the recorded machine, and the
/// recorded strategy on half, twice and four times as many workers. For a program of more than
/// 100000 tasks only the recorded configuration, because its replays take seconds.
json usual_forecasts(const checked_trace& given) {
  constexpr std::size_t most_tasks = 100'000;
  const simulator::what_if& recorded = given.recorded.configuration;
  json rows = json::array();
  rows.push_back(forecast_json(recorded, true, [&] { return given.recorded.outcome; }));
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
    one.topology = fmt::format("cube:{}", count);
    one.capacities.clear();
    add(one);
  }
  return rows;
}

}  // namespace

json to_json(const checked_trace& given, const trace_figures& figures) {
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

std::string to_text(const checked_trace& given, const trace_figures& figures) {
  const traces::trace& source = given.source;
  const auto share = [&](double time) { return share_text(share_of_all(given, figures, time)); };
  return fmt::format(
      "{}: {} tasks on {} in {}{}, balancer {}, transmission {}\n\n{}\n{}"
      "computing                       {} of the workers' time\n"
      "idle while tasks waited         {}\n"
      "idle without tasks to take      {}\n"
      "critical path                   {}, of {} tasks\n"
      "tasks: median {}, 90 % below {}, 99 % below {}, longest {}\n"
      "moves: {} by rounds, {} by pulls, {} by rescues; {}\n"
      "replayed in the simulator: {} off\n"
      "bound by {}\n",
      visible(source.workload), source.tasks.size(), visible(source.topology),
      time_text(static_cast<double>(source.makespan)),
      source.cut ? " (the recording was cut there)" : "", visible(source.balancer),
      visible(source.transmission), workers_text(given, figures), names_text(given, figures),
      share(figures.busy), share(figures.idle_with_work), share(figures.idle_without_work),
      time_text(figures.critical_path), figures.critical_tasks.size(),
      time_text(figures.tasks.median), time_text(figures.tasks.p90), time_text(figures.tasks.p99),
      time_text(figures.tasks.most), figures.moved_by_rounds, figures.moved_by_pulls,
      figures.moved_by_rescues, rounds_text(given, figures), share_text(given.forecast_error()),
      sentence_of(figures.bound));
}

void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const std::string& file, const traces::byte_sink& to) {
  const json about = {{"figures", to_json(given, figures)},
                      {"origin", origin_json(given.source, file)},
                      {"sentence", sentence_of(figures.bound)},
                      {"what_if", usual_forecasts(given)},
                      {"critical", figures.critical_tasks}};
  traces::write_page(given.source, about.dump(-1, ' ', false, json::error_handler_t::replace), to);
}

}  // namespace evencube::cli
