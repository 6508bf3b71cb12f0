#include "speedup_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "number_text.hpp"
#include "other_engines.hpp"
#include "runtime_arguments.hpp"
#include "speedup_meaning.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

/// A speed-up above the machine's limit by more than this factor is explained.
constexpr double plainly_above = 1.02;

std::string range_text(const spread& of) {
  return fmt::format("{:.2f} to {:.2f}", of.least, of.most);
}

std::size_t distinct(std::vector<unsigned> units) {
  std::sort(units.begin(), units.end());
  return static_cast<std::size_t>(std::unique(units.begin(), units.end()) - units.begin());
}

json to_json(const spread& of) {
  return {{"median", of.median}, {"min", of.least}, {"max", of.most}};
}

/// Says which rows have fewer processing units than workers.
std::string sharing_text(const speedup_report& report) {
  std::string text;
  for (const speedup_point& point : report.points) {
    const std::size_t units = distinct(point.units);
    if (units >= point.workers) continue;
    text += fmt::format("{} workers share {} unit{}.", point.workers, units, units == 1 ? "" : "s");
    if (report.workload == "spin") {
      text += " The tasks of spin end by the clock, so on a shared unit their times overlap.";
    }
    text += '\n';
  }
  return text;
}

/// Says why some rows are above the limit.
std::string above_text(const speedup_report& report) {
  std::string text;
  for (const speedup_point& point : report.points) {
    if (point.workers == 1 || point.of_limit <= plainly_above) continue;
    if (report.weak) {
      text += fmt::format(
          "{} workers: {} above the limit. The copies share no data in caches, and the speed of "
          "the processors may have changed between the measurements.\n",
          point.workers, share_text(point.of_limit - 1));
      continue;
    }
    const std::string reached =
        report.serial_seconds.size() == 1
            ? fmt::format("{:.2f}", point.limit.median)
            : fmt::format("{} in different rounds", range_text(point.limit));
    text += fmt::format(
        "{} workers: {} above the limit. The copies reached a speed-up of {}. They hold their data "
        "{} times in memory and caches; the parallel run holds it once. The speed of the "
        "processors may also have changed between the measurements.\n",
        point.workers, share_text(point.of_limit - 1), reached, point.workers);
  }
  return text;
}

/// The results of other engines; empty if EvenCube runs alone.
std::string engines_text(const speedup_report& report) {
  if (report.points.back().others.empty()) return {};
  const std::size_t rounds = report.serial_seconds.size();
  text_table table{{"workers", "<engine", "time", "speed-up", rounds == 1 ? "<" : "<from .. to",
                    "of evencube's time", rounds == 1 ? "<" : "<from .. to"}};
  const auto add = [&](unsigned workers, std::string_view engine,
                       const std::vector<double>& seconds, const spread& speedup,
                       const std::optional<spread>& over_own) {
    const bool ranges = rounds != 1;
    table.add_row(workers, engine, duration_text(spread_of(seconds).median),
                  fmt::format("{:.2f}", speedup.median),
                  ranges ? range_text(speedup) : std::string{},
                  over_own ? fmt::format("{:.2f}", over_own->median) : std::string{},
                  ranges && over_own ? range_text(*over_own) : std::string{});
  };
  for (const speedup_point& point : report.points) {
    add(point.workers, own_engine, point.seconds, point.speedup, std::nullopt);
    for (const engine_times& other : point.others) {
      add(point.workers, other.engine, other.seconds, other.speedup, other.over_own);
    }
  }
  return fmt::format(
      "\nThe same tasks under other engines, whose threads are not bound to units:\n\n{}\n",
      table.to_string());
}

std::string forecast_text(const speedup_report& report) {
  const auto forecasts = forecasts_of(report);
  if (forecasts.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [workers, speedup] : forecasts) {
    parts.push_back(fmt::format("{:.2f} on {} workers", speedup, workers));
  }
  return fmt::format("Forecast, not measured ({}): {}.\n",
                     report.weak ? "Gustafson's law with its last fraction"
                                 : "Amdahl's law with the last serial fraction",
                     fmt::join(parts, ", "));
}

std::string table_of(const speedup_report& report) {
  const bool weak = report.weak;
  const bool ranges = report.serial_seconds.size() != 1;
  std::optional<text_table> table;
  for (const speedup_point& point : report.points) {
    std::vector<std::string> headings;
    std::vector<std::string> cells;
    const auto add = [&](const char* heading, std::string cell) {
      headings.emplace_back(heading);
      cells.push_back(std::move(cell));
    };
    add("workers", std::to_string(point.workers));
    if (weak) {
      add("<problem", point.problem);
      add("serial twin", duration_text(spread_of(point.grown_serial_seconds).median));
    }
    add("time", duration_text(spread_of(point.seconds).median));
    add(weak ? "scaled speed-up" : "speed-up", fmt::format("{:.2f}", point.speedup.median));
    add(ranges ? "<from .. to" : "<", ranges ? range_text(point.speedup) : "");
    add("efficiency", share_text(point.efficiency));
    if (weak) add("one's time kept", share_text(point.kept));
    add("machine's limit", fmt::format("{:.2f}", point.limit.median));
    add("of the limit", share_text(point.of_limit));
    if (weak) add("Gustafson", number_or_nothing(point.gustafson_fraction));
    add(weak ? "Karp-Flatt" : "serial fraction", number_or_nothing(point.serial_fraction));
    add("tasks moved", std::to_string(point.tasks_moved));
    if (!table) table.emplace(std::move(headings));
    table->add_cells(std::move(cells));
  }
  return table->to_string();
}

/// The notes below every table: what the columns mean, and how the problem grew.
std::string notes_on(const speedup_report& report) {
  if (!report.weak) {
    return "The machine's limit is the speed-up of serial copies, one for each worker, that run "
           "simultaneously on the same units.\n";
  }
  return fmt::format(
      "Weak scaling: {}.\n"
      "The scaled speed-up is the time of the serial twin of the same scaled problem, divided by "
      "the parallel\ntime. One's time kept is the serial time of one worker's problem, divided by "
      "the parallel time of the\nscaled problem. Gustafson is the serial share of the parallel "
      "time, Karp-Flatt that of the serial\ntwin's time.\n"
      "The machine's limit is the speed-up of serial copies of one worker's problem, one for each "
      "worker, that\nrun simultaneously on the same units.\n",
      report.growth);
}

}  // namespace

std::string rounds_text(const speedup_report& report) {
  const std::size_t rounds = report.serial_seconds.size();
  return rounds == 1 ? "one round" : fmt::format("medians of {} rounds", rounds);
}

std::string remarks_on(const speedup_report& report) {
  return sharing_text(report) + above_text(report);
}

json to_json(const speedup_report& report) {
  json points = json::array();
  for (const speedup_point& point : report.points) {
    const spread time = spread_of(point.seconds);
    const auto optional = [](const std::optional<double>& value) {
      return value ? json(*value) : json(nullptr);
    };
    json others = json::array();
    for (const engine_times& other : point.others) {
      others.push_back({{"engine", other.engine},
                        {"seconds", to_json(spread_of(other.seconds))},
                        {"speedup", to_json(other.speedup)},
                        {"over_evencube", to_json(other.over_own)},
                        {"all_seconds", other.seconds}});
    }
    points.push_back({{"workers", point.workers},
                      {"units", point.units},
                      {"tasks", point.tasks},
                      {"tasks_moved", point.tasks_moved},
                      {"seconds", to_json(time)},
                      {"speedup", to_json(point.speedup)},
                      {"efficiency", point.efficiency},
                      {"limit", to_json(point.limit)},
                      {"of_limit", point.of_limit},
                      {"serial_fraction", optional(point.serial_fraction)},
                      {"serial_fraction_of_limit", optional(point.serial_fraction_of_limit)},
                      {"all_seconds", point.seconds},
                      {"all_copies_seconds", point.copies_seconds},
                      {"others", std::move(others)}});
    if (!report.weak) continue;
    points.back().update(
        {{"problem", point.problem},
         {"grown_serial_seconds", to_json(spread_of(point.grown_serial_seconds))},
         {"all_grown_serial_seconds", point.grown_serial_seconds},
         {"kept", point.kept},
         {"gustafson_fraction", optional(point.gustafson_fraction)},
         {"gustafson_fraction_of_limit", optional(point.gustafson_fraction_of_limit)}});
  }
  json forecasts = json::array();
  for (const auto& [workers, speedup] : forecasts_of(report)) {
    forecasts.push_back({{"workers", workers}, {"speedup", speedup}});
  }
  return {{"workload", report.workload},
          {"scaling", report.weak ? "weak" : "strong"},
          {"growth", report.weak ? json(report.growth) : json(nullptr)},
          {"placement", report.placement},
          {"balancer", report.options.balancer.name()},
          {"transmission", report.options.transmission.text()},
          {"mode", name_of(report.options.mode)},
          {"pulls", report.options.pulls},
          {"repetitions", report.serial_seconds.size()},
          {"serial_seconds", to_json(spread_of(report.serial_seconds))},
          {"all_serial_seconds", report.serial_seconds},
          {"points", std::move(points)},
          {"meaning", meaning_of(report)},
          {"forecast", std::move(forecasts)},
          {"verified", to_json(report.check)}};
}

std::string to_csv(const speedup_report& report) {
  std::string names;
  std::string text;
  for (const speedup_point& point : report.points) {
    names.clear();
    std::string line;
    const auto add = [&](const std::string& name, const auto& value) {
      names += (names.empty() ? "" : ",") + name;
      line += (line.empty() ? "" : ",") + fmt::format("{}", value);
    };
    const auto add_fraction = [&](const char* name, const std::optional<double>& value) {
      value ? add(name, *value) : add(name, "");
    };
    const spread time = spread_of(point.seconds);
    add("workers", point.workers);
    if (report.weak) {
      add("problem", point.problem);
      add("tasks", point.tasks);
      add("serial_seconds", spread_of(point.grown_serial_seconds).median);
    }
    add("seconds", time.median);
    add("min_seconds", time.least);
    add("max_seconds", time.most);
    add("speedup", point.speedup.median);
    add("min_speedup", point.speedup.least);
    add("max_speedup", point.speedup.most);
    add("efficiency", point.efficiency);
    if (report.weak) add("kept", point.kept);
    add("limit", point.limit.median);
    add("of_limit", point.of_limit);
    if (report.weak) add_fraction("gustafson_fraction", point.gustafson_fraction);
    add_fraction("serial_fraction", point.serial_fraction);
    for (const engine_times& other : point.others) {
      add(other.engine + "_seconds", spread_of(other.seconds).median);
      add(other.engine + "_speedup", other.speedup.median);
    }
    text += line + "\n";
  }
  return names + "\n" + text;
}

std::string to_text(const speedup_report& report) {
  const std::size_t rounds = report.serial_seconds.size();
  const spread serial = spread_of(report.serial_seconds);
  return fmt::format(
      "{}: {} tasks{}, placement {}, balancer {}, transmission {}, mode {}, pulls {}\n"
      "{}\nserial twin{} {}{}; {}, speed-ups within a round\n\n{}\n{}"
      "{}{}\n{}{}{}\n",
      report.workload, report.points.back().tasks,
      report.weak ? fmt::format(" at {} workers", report.points.back().workers) : std::string{},
      report.placement, report.options.balancer.name(), report.options.transmission.text(),
      name_of(report.options.mode), report.options.pulls ? "on" : "off", report.reason,
      report.weak ? " of one worker's problem" : "", duration_text(serial.median),
      rounds == 1
          ? std::string{}
          : fmt::format(" ({} to {})", duration_text(serial.least), duration_text(serial.most)),
      rounds_text(report), table_of(report), notes_on(report), remarks_on(report),
      meaning_of(report), forecast_text(report), engines_text(report), check_text(report.check));
}

}  // namespace evencube::cli
