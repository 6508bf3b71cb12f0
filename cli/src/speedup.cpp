#include "speedup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "number_text.hpp"
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
  {
    const hold_guard started = engine->hold();
  }  // every thread is there
  const sample one = run_once(work, *engine, verify);
  point.seconds.push_back(one.seconds);
  point.tasks = one.tasks;
  point.tasks_moved = one.counters.tasks_moved;
  if (one.check && report.good()) report.check = one.check;
}

void run_other(workloads::workload& work, unsigned threads, bool verify, engine_times& times,
               speedup_report& report) {
  const engine_sample one = run_by_another(work, times.engine, threads, verify);
  times.seconds.push_back(one.seconds);
  if (one.check && report.good()) report.check = one.check;
}

spread ratios(double factor, const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> all;
  for (std::size_t i = 0; i < above.size(); ++i) all.push_back(factor * above[i] / below[i]);
  return spread_of(std::move(all));
}

void evaluate(const std::vector<double>& serial, bool weak, speedup_point& point) {
  const std::vector<double>& same = weak ? point.grown_serial_seconds : serial;
  point.speedup = ratios(1, same, point.seconds);
  point.limit = ratios(point.workers, serial, point.copies_seconds);
  point.efficiency = point.speedup.median / point.workers;
  point.of_limit = point.speedup.median / point.limit.median;
  point.kept = ratios(1, serial, point.seconds).median;
  for (engine_times& other : point.others) {
    other.speedup = ratios(1, same, other.seconds);
    other.over_own = ratios(1, other.seconds, point.seconds);
  }
  if (point.workers == 1) return;
  point.serial_fraction = karp_flatt(point.speedup.median, point.workers);
  point.serial_fraction_of_limit = karp_flatt(point.limit.median, point.workers);
  if (!weak) return;
  point.gustafson_fraction = gustafson(point.speedup.median, point.workers);
  point.gustafson_fraction_of_limit = gustafson(point.limit.median, point.workers);
}

/// By the fractions of the points with more than one worker, ascending.
scaling scaling_by(const std::vector<speedup_point>& points,
                   std::optional<double> speedup_point::* own_fraction,
                   std::optional<double> speedup_point::* limit_fraction) {
  struct fraction {
    double own;
    double of_limit;
    double speedup;
  };
  std::vector<fraction> several;
  for (const speedup_point& point : points) {
    if (!(point.*own_fraction)) continue;
    several.push_back({*(point.*own_fraction), *(point.*limit_fraction), point.speedup.median});
  }
  if (several.empty()) return scaling::alone;
  const fraction& last = several.back();
  if (last.own <= hardly) return scaling::none;
  if (last.own <= last.of_limit + hardly) return scaling::machine;
  if (last.speedup <= 1) return scaling::slower;
  if (several.size() == 1) return scaling::single;
  const double first = several.front().own;
  const double about = std::max(hardly, last.own / 2);
  bool alike = true;
  bool most = true;
  for (const fraction& one : several) {
    alike = alike && std::abs(one.own - last.own) <= about;
    most = most && one.own <= last.own + about;
  }
  if (most && last.own > first + std::max(hardly, first / 2)) return scaling::growing;
  return alike ? scaling::constant : scaling::unclear;
}

std::vector<speedup_point> points_of(const speedup_plan& plan, std::string& reason) {
  std::vector<speedup_point> points;
  for (const unsigned count : plan.workers) {
    const auto engine = start_runtime(with_workers(plan.options, count));
    reason = engine->reason();
    points.emplace_back();
    points.back().workers = count;
    points.back().units = units_of(*engine);
    for (const std::string& other : plan.others) {
      points.back().others.push_back({other, {}, {}, {}});
    }
  }
  return points;
}

/// The problem of a number of workers.
struct stage {
  speedup_point* point;
  workloads::workload* work;
  std::unique_ptr<serial_copies> serial;  ///< of the grown problem; null where it does not grow
};

std::vector<stage> stages_of(workloads::workload& work, const speedup_plan& plan,
                             std::vector<speedup_point>& points) {
  std::vector<stage> stages;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (plan.grown.empty()) {
      stages.push_back({&points[i], &work, nullptr});
      continue;
    }
    workloads::workload& grown = *plan.grown[i];
    points[i].problem = grown.problem();
    stages.push_back({&points[i], &grown, std::make_unique<serial_copies>(grown, nullptr)});
  }
  return stages;
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

double gustafson(double speedup, unsigned workers) { return (workers - speedup) / (workers - 1.0); }

double gustafson_speedup(double fraction, double workers) {
  return workers - fraction * (workers - 1);
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

std::vector<unsigned> listed_worker_counts(const std::string& text) {
  std::vector<unsigned> counts;
  for (const std::int64_t count : whole_numbers("--workers", text)) {
    counts.push_back(static_cast<unsigned>(
        whole_number("--workers", std::to_string(count), 1, runtime_options::max_workers)));
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

scaling scaling_of(const std::vector<speedup_point>& points) {
  return scaling_by(points, &speedup_point::serial_fraction,
                    &speedup_point::serial_fraction_of_limit);
}

scaling weak_scaling_of(const std::vector<speedup_point>& points) {
  return scaling_by(points, &speedup_point::gustafson_fraction,
                    &speedup_point::gustafson_fraction_of_limit);
}

speedup_report measure_speedup(workloads::workload& work, serial_copies& copies,
                               const speedup_plan& plan, progress_bar& progress) {
  speedup_report report;
  report.weak = !plan.grown.empty();
  report.workload = work.name();
  report.options = plan.options;
  report.points = points_of(plan, report.reason);
  const auto stages = stages_of(work, plan, report.points);
  const std::vector<unsigned> alone{report.points.front().units.front()};
  for (unsigned round = 0; round < plan.repeat; ++round) {
    const std::string of_all = fmt::format(" {}/{}", round + 1, plan.repeat);
    progress.show("serial twin" + of_all);
    report.serial_seconds.push_back(copies.time(alone));
    std::vector<const stage*> order;
    for (const stage& one : stages) order.push_back(&one);
    if (round % 2 == 1) std::ranges::reverse(order);
    for (const stage* const now : order) {
      speedup_point& point = *now->point;
      const std::string many = fmt::format(" at {} workers{}", point.workers, of_all);
      if (now->serial) {
        progress.show("serial twin of the problem" + many);
        point.grown_serial_seconds.push_back(now->serial->time(alone));
      }
      progress.show(report.workload + many);
      run_parallel(*now->work, plan.options, plan.verify, point, report);
      for (engine_times& other : point.others) {
        progress.show(fmt::format("{} by {}{}", report.workload, other.engine, many));
        run_other(*now->work, point.workers, plan.verify, other, report);
      }
      progress.show("serial copies" + many);
      point.copies_seconds.push_back(point.workers == 1 ? report.serial_seconds.back()
                                                        : copies.time(point.units));
    }
  }
  for (speedup_point& point : report.points) evaluate(report.serial_seconds, report.weak, point);
  return report;
}

}  // namespace evencube::cli
