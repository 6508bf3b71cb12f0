#include "comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <tuple>
#include <utility>

#include "other_engines.hpp"
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
  checked check;
  if (times.engine) {
    engine_sample one = run_by_another(work, times.name, cell.workers, plan.verify);
    times.seconds.push_back(one.seconds);
    check = std::move(one.check);
  } else {
    runtime_options options = plan.strategies[index];
    options.workers = cell.workers;
    const auto engine = start_runtime(options);
    {
      const hold_guard started = engine->hold();
    }  // every thread is there
    sample one = run_once(work, *engine, plan.verify);
    times.seconds.push_back(one.seconds);
    cell.tasks = static_cast<double>(one.tasks);
    check = std::move(one.check);
    blame(check, times.name);
  }
  if (check && not_failed(made.check)) made.check = std::move(check);
}

void evaluate(const std::vector<double>& serial, comparison_cell& cell) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cell.contenders.size(); ++i) {
    contender_times& one = cell.contenders[i];
    if (one.seconds.empty()) continue;
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
  for (contender_times& one : cell.contenders) {
    if (!one.seconds.empty()) one.over_best = median_time(one.seconds) / least;
  }
}

void measure_placement(workloads::workload& work, workloads::placement where,
                       const std::vector<unsigned>& counts, const comparison_plan& plan,
                       progress_bar& progress, comparison& made) {
  std::vector<comparison_cell> cells;
  for (const unsigned workers : counts) {
    cells.push_back(empty_cell(plan, where, workers));
    cells.back().program = work.name();
  }
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

standing standing_of(std::size_t strategy, const comparison& made) {
  standing found;
  found.name = made.strategies[strategy];
  for (std::size_t i = 0; i < made.cells.size(); ++i) {
    const comparison_cell& cell = made.cells[i];
    if (!cell.counts()) continue;
    const double over = cell.contenders[strategy].over_best;
    ++found.cells;
    if (over <= close_enough) ++found.close;
    if (over > found.most_behind) {
      found.most_behind = over;
      found.where = i;
    }
  }
  return found;
}

}  // namespace

bool comparison::any(bool forecast) const {
  return std::ranges::any_of(cells,
                             [&](const comparison_cell& one) { return one.forecast == forecast; });
}

bool comparison_plan::needs_forecasts() const {
  return std::ranges::any_of(machines, [&](const forecast_machine* on) {
    return std::ranges::any_of(workers, [&](unsigned count) { return !measured(*on, count); });
  });
}

void measure_cells(const workload_maker& make, const comparison_plan& plan, progress_bar& progress,
                   comparison& made) {
  std::vector<unsigned> counts;
  for (const forecast_machine* const on : plan.machines) {
    for (const unsigned count : plan.workers) {
      if (plan.measured(*on, count)) counts.push_back(count);
    }
  }
  if (counts.empty()) return;
  made.repetitions = plan.repeat;
  for (const workloads::placement where : plan.placements) {
    const auto work = make(where);
    measure_placement(*work, where, counts, plan, progress, made);
  }
}

void forecast_cells(const recorded_program& program, const comparison_plan& plan,
                    progress_bar& progress, comparison& made) {
  struct job {
    replay_request asked;
    comparison_cell cell;
  };
  std::vector<job> jobs;
  for (const forecast_machine* const on : plan.machines) {
    for (const workloads::placement where : plan.placements) {
      for (const unsigned workers : plan.workers) {
        if (program.source.empty() && plan.measured(*on, workers)) continue;
        comparison_cell cell = empty_cell(plan, where, workers);
        cell.program = program.name;
        cell.machine = on->name;
        cell.forecast = true;
        cell.tasks = program.program.size();
        jobs.push_back({{program, *on, where, workers}, std::move(cell)});
      }
    }
  }
  std::atomic<std::size_t> done{0};
  progress.show("forecasts of " + program.name, [&done, all = jobs.size()] {
    return static_cast<double>(done.load(std::memory_order_relaxed)) / static_cast<double>(all);
  });
  made.draws = plan.draws;
  run_in_parallel(0, jobs.size(), [&](std::size_t i) {
    job& one = jobs[i];
    const simulator::task_graph placed = placed_program(one.asked);
    std::vector<double> serial;
    for (unsigned draw = 1; draw <= plan.draws; ++draw) {
      const simulator::task_graph drawn =
          plan.draws == 1 ? placed : placed.varied(time_from_run_to_run(), draw);
      serial.push_back(drawn.total_demand());
      for (std::size_t k = 0; k < plan.strategies.size(); ++k) {
        one.cell.contenders[k].seconds.push_back(
            replay_on(one.asked, drawn, plan.strategies[k], draw).makespan);
      }
    }
    evaluate(serial, one.cell);
    // relaxed: for a bar alone
    done.fetch_add(1, std::memory_order_relaxed);
  });
  progress.show("forecasts");  // `done` ends here
  for (job& one : jobs) made.cells.push_back(std::move(one.cell));
}

void finish(const comparison_plan& plan, comparison& made) {
  for (const runtime_options& one : plan.strategies) made.strategies.push_back(one.balancer);
  made.engines = plan.engines;
  for (const comparison_cell& cell : made.cells) {
    if (std::ranges::find(made.programs, cell.program) == made.programs.end()) {
      made.programs.push_back(cell.program);
    }
  }
  const auto place = [&](const comparison_cell& cell) {
    const auto program = std::ranges::find(made.programs, cell.program) - made.programs.begin();
    const auto machine = std::ranges::find(plan.machines, cell.machine, &forecast_machine::name) -
                         plan.machines.begin();
    const auto where =
        std::ranges::find(plan.placements, workloads::placement_named(cell.placement)) -
        plan.placements.begin();
    return std::tuple(program, machine, where, cell.workers);
  };
  std::ranges::sort(made.cells, [&](const comparison_cell& a, const comparison_cell& b) {
    return place(a) < place(b);
  });
  for (std::size_t i = 0; i < made.strategies.size(); ++i) {
    made.standings.push_back(standing_of(i, made));
  }
}

}  // namespace evencube::cli
