#include "simulation_effort.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>

#include "console.hpp"
#include "failure.hpp"
#include "number_text.hpp"

namespace evencube::cli {
namespace {

using simulator::arrival_process;
using simulator::model;
using kind = simulator::trigger::kind;

// Of one core of some years ago: an order of magnitude is what is wanted.
constexpr double seconds_of_event = 3e-7;
constexpr double seconds_of_load = 2e-8;
constexpr double told_from = 60;
constexpr double refused_from = 2 * 3600;

struct tasks_of_run {
  double number = 0;
  double end = 0;  // when the last of them can have ended, were they always shared out evenly
};

tasks_of_run tasks_of(const model& what, std::uint64_t seed) {
  const double nodes = what.graph->nodes();
  const double speed =
      what.speeds.empty() ? nodes : std::accumulate(what.speeds.begin(), what.speeds.end(), 0.0);
  if (what.program != nullptr) {
    return {static_cast<double>(what.program->size()), what.program->total_demand() / speed};
  }
  const auto loads = what.draw_initial ? what.draw_initial(seed) : what.initial;
  const double waiting = std::accumulate(loads.begin(), loads.end(), 0.0);
  tasks_of_run found{waiting, waiting * what.service.mean() / speed};
  const arrival_process& arrivals = what.arrivals;
  if (arrivals.which == arrival_process::kind::trace) {
    found.number += static_cast<double>(arrivals.entries.size());
    if (!arrivals.entries.empty()) found.end = std::max(found.end, arrivals.entries.back().time);
  } else if (arrivals.which != arrival_process::kind::none) {
    const double end = std::min(what.arrivals_end, what.horizon);
    const double hot = arrivals.which == arrival_process::kind::hot_spot
                           ? arrivals.hot_share * (arrivals.hot_factor - 1)
                           : 0;
    found.number += arrivals.rate * (1 + hot) * nodes * end;
    found.end = std::max(found.end, end);
  }
  return found;
}

double times_until(double end, double period) { return period > 0 ? std::floor(end / period) : 0; }

/// What is to happen again and again must move the clock, at the end, too.
void require_noticed(const char* option, double period, double end) {
  if (period <= 0 || end + period > end) return;
  throw usage_error{fmt::format(
      "{} {:g}: too short for a simulation that lasts about {:g}, whose clock it would not move",
      option, period, end)};
}

std::string long_time_text(double seconds) {
  constexpr double hour = 3600;
  constexpr double day = 24 * hour;
  constexpr double year = 365.25 * day;
  if (seconds < 2 * hour) return duration_text(seconds);
  if (seconds < 2 * day) return fmt::format("{:.0f} hours", seconds / hour);
  return seconds < 2 * year ? fmt::format("{:.0f} days", seconds / day)
                            : fmt::format("{:.2g} years", seconds / year);
}

}  // namespace

void check_effort(const model& what, std::size_t replications, std::uint64_t seed, unsigned threads,
                  bool hours_allowed) {
  const bool balanced = what.balance.strategy != nullptr;
  const simulator::trigger& when = what.balance.when;
  const bool by_clock = balanced && (when.which == kind::period || when.which == kind::idle ||
                                     when.which == kind::utilisation);
  const double period = by_clock ? when.period : 0;
  const tasks_of_run tasks = tasks_of(what, seed);
  const double end = std::isfinite(what.horizon) ? what.horizon : tasks.end;
  require_noticed("--trigger", period, end);
  require_noticed("--sample", what.sample_period, end);
  const double looks = times_until(end, period) + times_until(end, what.sample_period);
  const double loads = looks * what.graph->nodes();
  const double events = 2 * tasks.number + looks;
  // Without a horizon each is run once more without balancing, to be compared with.
  const double runs =
      static_cast<double>(replications) * (balanced && std::isinf(what.horizon) ? 2 : 1);
  const double processors =
      threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  const double seconds = (events * seconds_of_event + loads * seconds_of_load) * runs /
                         std::min(processors, static_cast<double>(replications));
  if (seconds < told_from) return;
  const auto told = fmt::format("about {}, for {:.2g} events and {:.2g} loads looked at, {} times",
                                long_time_text(seconds), events, loads, runs);
  if (seconds >= refused_from && !hours_allowed) {
    throw usage_error{
        fmt::format("this simulation would take {}: make it smaller, or give --long", told)};
  }
  complain("this simulation will take " + told);
}

}  // namespace evencube::cli
