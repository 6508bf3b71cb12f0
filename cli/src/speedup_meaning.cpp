#include "speedup_meaning.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "number_text.hpp"

namespace evencube::cli {
namespace {

/// The spread of a fraction over all points that have one.
spread fractions_of(const std::vector<speedup_point>& points,
                    std::optional<double> speedup_point::* fraction) {
  std::vector<double> all;
  for (const speedup_point& point : points) {
    if (point.*fraction) all.push_back(*(point.*fraction));
  }
  return spread_of(std::move(all));
}

/// The Karp-Flatt metric, given in addition if Gustafson's fraction stays or grows.
std::string karp_flatt_text(const speedup_point& last) {
  return fmt::format(" Of one worker's work on that problem the same is {} (Karp-Flatt).",
                     share_text(*last.serial_fraction));
}

/// The meaning of a weak measurement by Gustafson's fractions, and with it of the Karp-Flatt
/// metric.
std::string weak_meaning_of(const speedup_report& report) {
  const speedup_point& last = report.points.back();
  const double alone = last.gustafson_fraction.value_or(0);
  switch (weak_scaling_of(report.points)) {
    case scaling::alone:
      return "One worker has no other worker to share with.";
    case scaling::none:
      return fmt::format(
          "At {} workers hardly any time passes with one of them alone: they do {:.2f} times the "
          "work of one worker in the same time.",
          last.workers, last.speedup.median);
    case scaling::machine:
      return fmt::format(
          "At {0} workers they get as much done as {0} copies that share nothing: the machine "
          "(memory, caches, clock, neighbours) is what limits.",
          last.workers);
    case scaling::slower:
      return fmt::format(
          "With {} workers no faster than one on the same problem: nothing was shared, or the "
          "tasks are too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "About {} of the parallel time counts as one worker alone, whatever the number of "
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
      const spread of = fractions_of(report.points, &speedup_point::gustafson_fraction);
      return fmt::format(
          "The share of the time that counts as one worker alone differs from {:.2f} to {:.2f}: no "
          "one serial part.",
          of.least, of.most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "At {} workers {} of the parallel time counts as one worker alone; only a second number of "
      "workers tells a serial part from what the workers cost each other.{}",
      last.workers, share_text(alone), karp_flatt_text(last));
}

}  // namespace

std::string meaning_of(const speedup_report& report) {
  if (report.weak) return weak_meaning_of(report);
  const speedup_point& last = report.points.back();
  const double serial = last.serial_fraction.value_or(0);
  switch (scaling_of(report.points)) {
    case scaling::alone:
      return "One worker has no other worker to share with.";
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
      // A part of the work is never more than all of it.
      if (*last.serial_fraction_of_limit >= 1) {
        return fmt::format(
            "At {0} workers {1} of the work counts as serial, but {0} copies that share nothing "
            "get no more done than one: the machine (memory, caches, clock, neighbours) is what "
            "limits.",
            last.workers, share_text(serial));
      }
      return fmt::format(
          "At {} workers {} of the work counts as serial, but of copies that share nothing {} do: "
          "the machine (memory, caches, clock, neighbours) is what limits.",
          last.workers, share_text(serial), share_text(*last.serial_fraction_of_limit));
    case scaling::slower:
      return fmt::format(
          "With {} workers no faster than the serial twin: nothing was shared, or the tasks are "
          "too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "About {} of the work is serial whatever the number of workers: a part of the program "
          "that one worker does alone; by Amdahl's law never more than {:.1f} times.",
          share_text(serial), 1 / serial);
    case scaling::growing:
      return fmt::format(
          "The serial fraction grows with the workers, to {}: not a serial part but what each "
          "further worker costs, in moving tasks, waking and memory, or too little work for so "
          "many.",
          share_text(serial));
    case scaling::unclear: {
      const spread of = fractions_of(report.points, &speedup_point::serial_fraction);
      return fmt::format("The serial fraction differs from {:.2f} to {:.2f}: no one serial part.",
                         of.least, of.most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "At {} workers {} of the work counts as serial; only a second number of workers tells a "
      "serial part of the program from what the workers cost each other.",
      last.workers, share_text(serial));
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

}  // namespace evencube::cli
