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
  return fmt::format(" By the Karp-Flatt metric, {} of the work on the scaled problem is serial.",
                     share_text(*last.serial_fraction));
}

/// The meaning of a weak measurement by Gustafson's fractions, and with it of the Karp-Flatt
/// metric.
std::string weak_meaning_of(const speedup_report& report) {
  const speedup_point& last = report.points.back();
  const double alone = last.gustafson_fraction.value_or(0);
  switch (weak_scaling_of(report.points)) {
    case scaling::alone:
      return "A single worker says nothing about scaling.";
    case scaling::none:
      return fmt::format(
          "Almost nothing is serial: {} workers do {:.2f} times the work of one worker in the same "
          "time.",
          last.workers, last.speedup.median);
    case scaling::machine:
      return fmt::format(
          "{0} workers do as much work as {0} serial copies, which share nothing. So the machine "
          "(memory, caches, clock, other programs) is the limit.",
          last.workers);
    case scaling::slower:
      return fmt::format(
          "{} workers are no faster than one worker on the same problem: the work was not shared, "
          "or the tasks are too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "On any number of workers, about {} of the parallel time counts as serial. So the serial "
          "part "
          "grows with the problem, and each further worker adds {:.2f} to the speed-up "
          "(Gustafson).{}",
          share_text(alone), 1 - alone, karp_flatt_text(last));
    case scaling::growing:
      return fmt::format(
          "The serial share of the parallel time grows with the workers, to {}. The reason is "
          "either the cost of each further worker (moving tasks, waking, memory), or a serial part "
          "that grows faster than the problem.{}",
          share_text(alone), karp_flatt_text(last));
    case scaling::unclear: {
      const spread of = fractions_of(report.points, &speedup_point::gustafson_fraction);
      return fmt::format(
          "The serial share of the parallel time varies from {:.2f} to {:.2f}. So no single serial "
          "part explains it.",
          of.least, of.most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "On {} workers, {} of the parallel time counts as serial. The reason is a serial part, or "
      "the cost "
      "of each further worker; a second number of workers would show which.{}",
      last.workers, share_text(alone), karp_flatt_text(last));
}

}  // namespace

std::string meaning_of(const speedup_report& report) {
  if (report.weak) return weak_meaning_of(report);
  const speedup_point& last = report.points.back();
  const double serial = last.serial_fraction.value_or(0);
  switch (scaling_of(report.points)) {
    case scaling::alone:
      return "A single worker says nothing about scaling.";
    case scaling::none:
      return fmt::format(
          "Almost nothing is serial: each of {} workers does nearly as much as one worker alone.",
          last.workers);
    case scaling::machine:
      if (serial >= 1) {
        return fmt::format(
            "{} workers are no faster than the serial twin, and neither are that many serial "
            "copies, which share nothing. So the machine (memory, caches, clock, other programs) "
            "is the limit.",
            last.workers);
      }
      // A part of the work is never more than all of it.
      if (*last.serial_fraction_of_limit >= 1) {
        return fmt::format(
            "On {0} workers, {1} of the work counts as serial. But {0} serial copies, which share "
            "nothing, do no more work than one copy. So the machine (memory, caches, clock, other "
            "programs) is the limit.",
            last.workers, share_text(serial));
      }
      return fmt::format(
          "On {} workers, {} of the work counts as serial. But {} counts as serial even for serial "
          "copies, which share nothing. So the machine (memory, caches, clock, other programs) is "
          "the limit.",
          last.workers, share_text(serial), share_text(*last.serial_fraction_of_limit));
    case scaling::slower:
      return fmt::format(
          "{} workers are no faster than the serial twin: the work was not shared, or the tasks "
          "are too small.",
          last.workers);
    case scaling::constant:
      return fmt::format(
          "On any number of workers, about {} of the work is serial. So one worker does a part of "
          "the program alone, and by Amdahl's law no speed-up exceeds {:.1f}.",
          share_text(serial), 1 / serial);
    case scaling::growing:
      return fmt::format(
          "The serial fraction grows with the workers, to {}. So the reason is the cost of each "
          "further worker (moving tasks, waking, memory), or too little work.",
          share_text(serial));
    case scaling::unclear: {
      const spread of = fractions_of(report.points, &speedup_point::serial_fraction);
      return fmt::format(
          "The serial fraction varies from {:.2f} to {:.2f}. So no single serial part explains it.",
          of.least, of.most);
    }
    case scaling::single:
      break;
  }
  return fmt::format(
      "On {} workers, {} of the work counts as serial. The reason is a serial part, or the cost of "
      "each further worker; a second number of workers would show which.",
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
