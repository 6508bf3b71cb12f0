#include "comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine_runs.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

comparison_cell empty_cell(const comparison_plan& plan, workloads::placement where,
                           unsigned workers) {
  comparison_cell cell;
  cell.placement = workloads::name_of(where);
  cell.workers = workers;
  for (const runtime_options& strategy : plan.strategies) {
    cell.contenders.push_back({.name = strategy.balancer});
  }
  for (const std::string& engine : plan.engines) {
    cell.contenders.push_back({.name = engine, .engine = true});
  }
  return cell;
}

/// One run of contender `index` in that cell.
void run_contender(workloads::workload& work, const comparison_plan& plan, std::size_t index,
                   comparison_cell& cell, comparison& made) {
  contender_times& times = cell.contenders[index];
  std::optional<workloads::verification> check;
  if (times.engine) {
    engine_sample one = run_by_another(work, times.name, cell.workers, plan.verify);
    times.seconds.push_back(one.seconds);
    check = std::move(one.check);
  } else {
    runtime_options options = plan.strategies[index];
    options.workers = cell.workers;
    const auto engine = start_runtime(options);
    { const hold_guard started = engine->hold(); }  // every thread is there
    sample one = run_once(work, *engine, plan.verify);
    times.seconds.push_back(one.seconds);
    check = std::move(one.check);
    if (check && !check->passed)
      check->detail = fmt::format("by {}: {}", times.name, check->detail);
  }
  if (check && made.good()) made.check = std::move(check);
}

void evaluate(const std::vector<double>& serial, comparison_cell& cell) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cell.contenders.size(); ++i) {
    contender_times& one = cell.contenders[i];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < serial.size(); ++round) {
      ratios.push_back(serial[round] / one.seconds[round]);
    }
    one.speedup = spread_of(std::move(ratios));
    const double median = median_time(one.seconds);
    if (!one.engine && median < least) {
      least = median;
      cell.best = i;
    }
  }
  for (contender_times& one : cell.contenders) one.over_best = median_time(one.seconds) / least;
}

void measure_placement(workloads::workload& work, workloads::placement where,
                       const comparison_plan& plan, progress_bar& progress, comparison& made) {
  std::vector<comparison_cell> cells;
  for (const unsigned workers : plan.workers) cells.push_back(empty_cell(plan, where, workers));
  std::vector<double> serial;
  const unsigned rounds = plan.repeat + (plan.repeat > 1 ? 1 : 0);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::string of_all =
        fmt::format(" {}/{}, placement {}", round + 1, rounds, workloads::name_of(where));
    progress.show("serial twin" + of_all);
    serial.push_back(time_serial(work));
    for (comparison_cell& cell : cells) {
      for (std::size_t i = 0; i < cell.contenders.size(); ++i) {
        const std::size_t index = round % 2 == 0 ? i : cell.contenders.size() - 1 - i;
        progress.show(
            fmt::format("{} on {} workers{}", cell.contenders[index].name, cell.workers, of_all));
        run_contender(work, plan, index, cell, made);
      }
    }
    if (round == 0 && rounds > 1) {  // caches, pages, clocks
      serial.clear();
      for (comparison_cell& cell : cells) {
        for (contender_times& one : cell.contenders) one.seconds.clear();
      }
    }
  }
  for (comparison_cell& cell : cells) {
    evaluate(serial, cell);
    made.cells.push_back(std::move(cell));
  }
}

}  // namespace

comparison compare_strategies(const workload_maker& make, const comparison_plan& plan,
                              progress_bar& progress) {
  comparison made;
  made.repetitions = plan.repeat;
  for (const runtime_options& one : plan.strategies) made.strategies.push_back(one.balancer);
  made.engines = plan.engines;
  for (const workloads::placement where : plan.placements) {
    const auto work = make(where);
    made.workload = work->name();
    measure_placement(*work, where, plan, progress, made);
  }
  return made;
}

}  // namespace evencube::cli
