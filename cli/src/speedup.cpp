#include "speedup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>
#include <thread>

#include "other_engines.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

/// A serial part below this is not told from none, nor are two that differ by less.
constexpr double hardly = 0.01;

runtime_options with_workers(runtime_options options, unsigned workers) {
  options.workers = workers;
  return options;
}

std::vector<unsigned> units_of(const runtime& engine) {
  std::vector<unsigned> units;
  for (const unsigned unit : engine.placement()) {
    units.push_back(engine.hardware().units[unit].os_index);
  }
  return units;
}

void run_parallel(workloads::workload& work, const runtime_options& options, bool verify,
                  speedup_point& point, speedup_report& report) {
  const auto engine = start_runtime(with_workers(options, point.workers));
  { const hold_guard started = engine->hold(); }  // every thread is there
  const sample one = run_once(work, *engine, verify);
  point.seconds.push_back(one.seconds);
  point.tasks = one.tasks;
  point.tasks_moved = one.counters.tasks_moved;
  if (one.check && report.good()) report.check = one.check;
}

/// Threads that have nothing to do look for work for a while before they sleep, and would take part
/// in what is measured next.
constexpr std::chrono::milliseconds settling{20};

void run_by_another(workloads::workload& work, unsigned threads, bool verify, engine_times& times,
                    speedup_report& report) {
  work.reset();
  {
    const auto loop = loop_of(times.engine, threads);
    loop(threads, [](std::size_t) {});  // every thread is there
    times.seconds.push_back(seconds_of([&] { work.run_by(loop, threads); }));
  }
  if (verify && report.good()) {
    report.check = work.verify();
    if (!report.check->passed) {
      report.check->detail = fmt::format("by {}: {}", times.engine, report.check->detail);
    }
  }
  std::this_thread::sleep_for(settling);
}

spread ratios(double factor, const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> all;
  for (std::size_t i = 0; i < above.size(); ++i) all.push_back(factor * above[i] / below[i]);
  return spread_of(std::move(all));
}

void evaluate(const std::vector<double>& serial, speedup_point& point) {
  point.speedup = ratios(1, serial, point.seconds);
  point.limit = ratios(point.workers, serial, point.copies_seconds);
  point.efficiency = point.speedup.median / point.workers;
  point.of_limit = point.speedup.median / point.limit.median;
  for (engine_times& other : point.others) {
    other.speedup = ratios(1, serial, other.seconds);
    other.over_own = ratios(1, other.seconds, point.seconds);
  }
  if (point.workers == 1) return;
  point.serial_fraction = karp_flatt(point.speedup.median, point.workers);
  point.serial_fraction_of_limit = karp_flatt(point.limit.median, point.workers);
}

}  // namespace

spread spread_of(std::vector<double> values) {
  if (values.empty()) throw std::logic_error{"no values to take the median of"};
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

double karp_flatt(double speedup, unsigned workers) {
  const double share = 1.0 / workers;
  return (1 / speedup - share) / (1 - share);
}

double amdahl(double serial_fraction, double workers) {
  return 1 / (serial_fraction + (1 - serial_fraction) / workers);
}

std::vector<unsigned> usual_worker_counts(unsigned most) {
  std::vector<unsigned> counts;
  for (unsigned count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

scaling scaling_of(const std::vector<speedup_point>& points) {
  std::vector<const speedup_point*> several;
  for (const speedup_point& point : points) {
    if (point.serial_fraction) several.push_back(&point);
  }
  if (several.empty()) return scaling::alone;
  const speedup_point& last = *several.back();
  if (*last.serial_fraction <= hardly) return scaling::none;
  if (*last.serial_fraction <= *last.serial_fraction_of_limit + hardly) return scaling::machine;
  if (last.speedup.median <= 1) return scaling::slower;
  if (several.size() == 1) return scaling::single;
  const double first = *several.front()->serial_fraction;
  const double end = *last.serial_fraction;
  const double about = std::max(hardly, end / 2);
  bool alike = true;
  bool most = true;
  for (const speedup_point* const point : several) {
    alike = alike && std::abs(*point->serial_fraction - end) <= about;
    most = most && *point->serial_fraction <= end + about;
  }
  if (most && end > first + std::max(hardly, first / 2)) return scaling::growing;
  return alike ? scaling::constant : scaling::unclear;
}

speedup_report measure_speedup(workloads::workload& work, serial_copies& copies,
                               const runtime_options& options, const std::vector<unsigned>& workers,
                               const std::vector<std::string>& others, unsigned repeat, bool verify,
                               progress_bar& progress) {
  speedup_report report;
  report.workload = work.name();
  report.options = options;
  for (const unsigned count : workers) {
    const auto engine = start_runtime(with_workers(options, count));
    report.reason = engine->reason();
    report.points.emplace_back();
    report.points.back().workers = count;
    report.points.back().units = units_of(*engine);
    for (const std::string& other : others)
      report.points.back().others.push_back({other, {}, {}, {}});
  }
  const std::vector<unsigned> alone{report.points.front().units.front()};
  for (unsigned round = 0; round < repeat; ++round) {
    const std::string of_all = fmt::format(" {}/{}", round + 1, repeat);
    progress.show("serial twin" + of_all);
    report.serial_seconds.push_back(copies.time(alone));
    std::vector<speedup_point*> order;
    for (speedup_point& point : report.points) order.push_back(&point);
    if (round % 2 == 1) std::ranges::reverse(order);
    for (speedup_point* const point : order) {
      const std::string many = fmt::format(" at {} workers{}", point->workers, of_all);
      progress.show(report.workload + many);
      run_parallel(work, options, verify, *point, report);
      for (engine_times& other : point->others) {
        progress.show(fmt::format("{} by {}{}", report.workload, other.engine, many));
        run_by_another(work, point->workers, verify, other, report);
      }
      progress.show("serial copies" + many);
      point->copies_seconds.push_back(point->workers == 1 ? report.serial_seconds.back()
                                                          : copies.time(point->units));
    }
  }
  for (speedup_point& point : report.points) evaluate(report.serial_seconds, point);
  return report;
}

}  // namespace evencube::cli
