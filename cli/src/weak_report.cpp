#include "weak_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "number_text.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

std::string raw(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string{};
}

/// What the Karp-Flatt metric says beside a fraction of Gustafson's that stays or grows.
std::string karp_flatt_text(const speedup_point& last) {
  return fmt::format(" Of one worker's work on that problem the same is {} (Karp-Flatt).",
                     share_text(*last.serial_fraction));
}

}  // namespace

std::string weak_meaning_of(const speedup_report& report) {
  const speedup_point& last = report.points.back();
  const double alone = last.gustafson_fraction.value_or(0);
  switch (weak_scaling_of(report.points)) {
    case scaling::alone:
      return "One worker has nobody to share with.";
    case scaling::none:
      return fmt::format(
          "At {} workers hardly any time passes with one of them alone: they do {:.2f} times the "
          "work in the time of one.",
          last.workers, last.speedup.median);
    case scaling::machine:
      return fmt::format(
          "At {} workers they get as much done as so many copies that share nothing: the machine "
          "(memory, caches, clock, neighbours) is what limits.",
          last.workers);
    case scaling::slower:
      return fmt::format(
          "With {} workers no faster than one on the same problem: nothing was shared, or the "
          "tasks are too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "About {} of the parallel time count as one worker alone, whatever the number of "
          "workers: what is serial grows with the problem, and each further worker adds {:.2f} to "
          "the speed-up (Gustafson).{}",
          share_text(alone), 1 - alone, karp_flatt_text(last));
    case scaling::growing:
      return fmt::format(
          "The share of the parallel time that counts as one worker alone grows with the workers, "
          "to {}: what each further worker costs, in moving tasks, waking and memory, or a part "
          "that grows faster than the problem.{}",
          share_text(alone), karp_flatt_text(last));
    case scaling::unclear: {
      double least = alone;
      double most = alone;
      for (const speedup_point& point : report.points) {
        if (!point.gustafson_fraction) continue;
        least = std::min(least, *point.gustafson_fraction);
        most = std::max(most, *point.gustafson_fraction);
      }
      return fmt::format(
          "The share of the time that counts as one worker alone differs from {:.2f} to {:.2f}: no "
          "one serial part.",
          least, most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "At {} workers {} of the parallel time count as one worker alone; only a second number of "
      "workers tells a serial part from what the workers cost each other.{}",
      last.workers, share_text(alone), karp_flatt_text(last));
}

std::string weak_table(const speedup_report& report) {
  const bool ranges = report.serial_seconds.size() != 1;
  text_table table{{"workers", "<problem", "serial twin", "time", "scaled speed-up",
                    ranges ? "<from .. to" : "<", "efficiency", "one's time kept",
                    "machine's limit", "of the limit", "Gustafson", "Karp-Flatt", "tasks moved"}};
  for (const speedup_point& point : report.points) {
    table.add_row(
        point.workers, point.problem, duration_text(spread_of(point.grown_serial_seconds).median),
        duration_text(spread_of(point.seconds).median), fmt::format("{:.2f}", point.speedup.median),
        ranges ? fmt::format("{:.2f} to {:.2f}", point.speedup.least, point.speedup.most)
               : std::string{},
        share_text(point.efficiency), share_text(point.kept),
        fmt::format("{:.2f}", point.limit.median), share_text(point.of_limit),
        number_or_nothing(point.gustafson_fraction), number_or_nothing(point.serial_fraction),
        point.tasks_moved);
  }
  return table.to_string();
}

std::string weak_notes(const speedup_report& report) {
  return fmt::format(
      "Weak scaling: {}.\n"
      "The scaled speed-up is over the serial twin of the same grown problem. One's time kept is "
      "the serial\ntime of one worker's problem over the time of all workers on theirs. Gustafson: "
      "the share of the\nparallel time that counts as one worker alone; Karp-Flatt: the same of "
      "the serial twin's time.\n"
      "The machine's limit is the speed-up of so many serial copies of one worker's problem at "
      "once on the\nsame units.\n",
      report.growth);
}

std::string weak_csv(const speedup_report& report) {
  std::string text =
      "workers,problem,tasks,serial_seconds,seconds,min_seconds,max_seconds,speedup,min_speedup,"
      "max_speedup,efficiency,kept,limit,of_limit,gustafson_fraction,serial_fraction";
  for (const engine_times& other : report.points.front().others) {
    text += fmt::format(",{0}_seconds,{0}_speedup", other.engine);
  }
  text += '\n';
  for (const speedup_point& point : report.points) {
    const spread time = spread_of(point.seconds);
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", point.workers, point.problem,
                    point.tasks, spread_of(point.grown_serial_seconds).median, time.median,
                    time.least, time.most, point.speedup.median, point.speedup.least,
                    point.speedup.most, point.efficiency, point.kept, point.limit.median,
                    point.of_limit, raw(point.gustafson_fraction), raw(point.serial_fraction));
    for (const engine_times& other : point.others) {
      text += fmt::format(",{},{}", spread_of(other.seconds).median, other.speedup.median);
    }
    text += '\n';
  }
  return text;
}

}  // namespace evencube::cli
