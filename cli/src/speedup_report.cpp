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
#include "text_table.hpp"
#include "weak_report.hpp"

namespace evencube::cli {
namespace {

/// Above the machine's own limit by more than this wants a word.
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

/// Which rows have fewer units than workers.
std::string sharing_text(const speedup_report& report) {
  std::string text;
  for (const speedup_point& point : report.points) {
    const std::size_t units = distinct(point.units);
    if (units >= point.workers) continue;
    text += fmt::format("{} workers share {} unit{}.", point.workers, units, units == 1 ? "" : "s");
    if (report.workload == "spin") {
      text += " The tasks of spin end by the clock: on a shared unit their times overlap.";
    }
    text += '\n';
  }
  return text;
}

/// Why some rows are above the limit.
std::string above_text(const speedup_report& report) {
  std::string text;
  for (const speedup_point& point : report.points) {
    if (point.workers == 1 || point.of_limit <= plainly_above) continue;
    if (report.weak) {
      text += fmt::format(
          "{} workers: {} above the limit. The copies share nothing, not the caches either, and "
          "the processors may have changed their speed between the two.\n",
          point.workers, share_text(point.of_limit - 1));
      continue;
    }
    const std::string reached =
        report.serial_seconds.size() == 1
            ? fmt::format("{:.2f}", point.limit.median)
            : fmt::format("{} in different rounds", range_text(point.limit));
    text += fmt::format(
        "{} workers: {} above the limit. The copies there reached {}; they hold their data {} "
        "times in memory and caches where the parallel run has it once, and the processors may "
        "have changed their speed between the two.\n",
        point.workers, share_text(point.of_limit - 1), reached, point.workers);
  }
  return text;
}

/// The least and the most.
std::pair<double, double> fractions_of(const std::vector<speedup_point>& points) {
  std::vector<double> all;
  for (const speedup_point& point : points) {
    if (point.serial_fraction) all.push_back(*point.serial_fraction);
  }
  const spread of = spread_of(std::move(all));
  return {of.least, of.most};
}

/// Nothing if EvenCube is alone.
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
      "\nThe same tasks by other engines, whose threads are bound to no unit:\n\n{}\n",
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

}  // namespace

std::string rounds_text(const speedup_report& report) {
  const std::size_t rounds = report.serial_seconds.size();
  return rounds == 1 ? "one round" : fmt::format("medians of {} rounds", rounds);
}

std::string remarks_on(const speedup_report& report) {
  return sharing_text(report) + above_text(report);
}

std::vector<speedup_forecast> forecasts_of(const speedup_report& report) {
  const speedup_point& last = report.points.back();
  if (!last.serial_fraction || *last.serial_fraction <= 0 || *last.serial_fraction >= 1) return {};
  std::vector<speedup_forecast> made;
  for (const unsigned factor : {2U, 4U}) {
    const unsigned workers = factor * last.workers;
    made.push_back({workers, report.weak ? gustafson_speedup(*last.gustafson_fraction, workers)
                                         : amdahl(*last.serial_fraction, workers)});
  }
  return made;
}

std::string meaning_of(const speedup_report& report) {
  if (report.weak) return weak_meaning_of(report);
  const speedup_point& last = report.points.back();
  const double serial = last.serial_fraction.value_or(0);
  switch (scaling_of(report.points)) {
    case scaling::alone:
      return "One worker has nobody to share with.";
    case scaling::none:
      return fmt::format(
          "At {} workers hardly anything is serial: the workers do nearly as much each as one "
          "alone.",
          last.workers);
    case scaling::machine:
      if (serial >= 1) {
        return fmt::format(
            "With {} workers no faster than the serial twin, but copies that share nothing get no "
            "more done either: the machine (memory, caches, clock, neighbours) is what limits.",
            last.workers);
      }
      // No part of the work is more than all of it.
      if (*last.serial_fraction_of_limit >= 1) {
        return fmt::format(
            "At {} workers {} of the work count as serial, but so many copies that share nothing "
            "get no more done than one: the machine (memory, caches, clock, neighbours) is what "
            "limits.",
            last.workers, share_text(serial));
      }
      return fmt::format(
          "At {} workers {} of the work count as serial, but of copies that share nothing {} do: "
          "the machine (memory, caches, clock, neighbours) is what limits.",
          last.workers, share_text(serial), share_text(*last.serial_fraction_of_limit));
    case scaling::slower:
      return fmt::format(
          "With {} workers no faster than the serial twin: nothing was shared, or the tasks are "
          "too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "About {} of the work are serial whatever the number of workers: a part of the program "
          "that one worker does alone; by Amdahl's law never more than {:.1f} times.",
          share_text(serial), 1 / serial);
    case scaling::growing:
      return fmt::format(
          "The serial fraction grows with the workers, to {}: not a serial part but what each "
          "further worker costs, in moving tasks, waking and memory, or too little work for so "
          "many.",
          share_text(serial));
    case scaling::unclear: {
      const auto [least, most] = fractions_of(report.points);
      return fmt::format("The serial fraction differs from {:.2f} to {:.2f}: no one serial part.",
                         least, most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "At {} workers {} of the work count as serial; only a second number of workers tells a "
      "serial part of the program from what the workers cost each other.",
      last.workers, share_text(serial));
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
          {"balancer", report.options.balancer},
          {"transmission", report.options.transmission},
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
  if (report.weak) return weak_csv(report);
  std::string text =
      "workers,seconds,min_seconds,max_seconds,speedup,min_speedup,max_speedup,efficiency,limit,"
      "of_limit,serial_fraction";
  for (const engine_times& other : report.points.front().others) {
    text += fmt::format(",{0}_seconds,{0}_speedup", other.engine);
  }
  text += '\n';
  for (const speedup_point& point : report.points) {
    const spread time = spread_of(point.seconds);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}", point.workers, time.median, time.least,
                        time.most, point.speedup.median, point.speedup.least, point.speedup.most,
                        point.efficiency, point.limit.median, point.of_limit,
                        point.serial_fraction ? fmt::format("{}", *point.serial_fraction) : "");
    for (const engine_times& other : point.others) {
      text += fmt::format(",{},{}", spread_of(other.seconds).median, other.speedup.median);
    }
    text += '\n';
  }
  return text;
}

namespace {

std::string strong_table(const speedup_report& report) {
  const std::size_t rounds = report.serial_seconds.size();
  text_table table{{"workers", "time", "speed-up", rounds == 1 ? "<" : "<from .. to", "efficiency",
                    "machine's limit", "of the limit", "serial fraction", "tasks moved"}};
  for (const speedup_point& point : report.points) {
    table.add_row(point.workers, duration_text(spread_of(point.seconds).median),
                  fmt::format("{:.2f}", point.speedup.median),
                  rounds == 1 ? std::string{} : range_text(point.speedup),
                  share_text(point.efficiency), fmt::format("{:.2f}", point.limit.median),
                  share_text(point.of_limit), number_or_nothing(point.serial_fraction),
                  point.tasks_moved);
  }
  return table.to_string();
}

}  // namespace

std::string to_text(const speedup_report& report) {
  const std::size_t rounds = report.serial_seconds.size();
  const spread serial = spread_of(report.serial_seconds);
  return fmt::format(
      "{}: {} tasks{}, placement {}, balancer {}, transmission {}, mode {}, pulls {}\n"
      "{}\nserial twin{} {}{}; {}, speed-ups within a round\n\n{}\n{}"
      "{}{}\n{}{}{}\n",
      report.workload, report.points.back().tasks,
      report.weak ? fmt::format(" at {} workers", report.points.back().workers) : std::string{},
      report.placement, report.options.balancer, report.options.transmission,
      name_of(report.options.mode), report.options.pulls ? "on" : "off", report.reason,
      report.weak ? " of one worker's problem" : "", duration_text(serial.median),
      rounds == 1
          ? std::string{}
          : fmt::format(" ({} to {})", duration_text(serial.least), duration_text(serial.most)),
      rounds_text(report), report.weak ? weak_table(report) : strong_table(report),
      report.weak ? weak_notes(report)
                  : "The machine's limit is the speed-up of so many serial copies at once on the "
                    "same units.\n",
      remarks_on(report), meaning_of(report), forecast_text(report), engines_text(report),
      check_text(report.check));
}

}  // namespace evencube::cli
