#include "comparison_explained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "comparison_report.hpp"
#include "number_text.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

using simulator::node_time;
using simulator::task_story;

constexpr std::size_t tasks_told = 3;

struct part {
  double node_time::* of;
  const char* key;
  const char* told;
};
constexpr std::array parts{
    part{&node_time::computing, "computing", "computing"},
    part{&node_time::planning, "planning", "idle while tasks waited elsewhere, in a round"},
    part{&node_time::elsewhere, "elsewhere", "idle while tasks waited elsewhere, no round"},
    part{&node_time::receiving, "receiving", "idle while tasks were on their way to the worker"},
    part{&node_time::waking, "waking", "waking up"},
    part{&node_time::nothing, "nothing", "idle while no task waited"},
};

explained_run explain_run(const replay_request& asked, const simulator::task_graph& placed,
                          const runtime_options& options) {
  simulator::ledger kept;
  explained_run made;
  made.strategy = options.balancer;
  made.makespan = replay_on(asked, placed, options, 1, &kept).makespan;
  for (const part& one : parts) {
    for (const node_time& of : kept.nodes) made.mean.*one.of += of.*one.of;
    made.mean.*one.of /= static_cast<double>(kept.nodes.size());
  }
  std::vector<simulator::task_id> order(kept.tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<simulator::task_id>(i);
  // The task that spawned the others waits for them and ends last: it explains nothing.
  std::erase_if(order, [&](simulator::task_id i) {
    return std::ranges::any_of(placed.steps(i), [](const simulator::task_graph::step& step) {
      return step.then == simulator::task_graph::action::wait;
    });
  });
  const auto told = static_cast<std::ptrdiff_t>(std::min(tasks_told, order.size()));
  std::ranges::partial_sort(order, order.begin() + told,
                            [&](simulator::task_id a, simulator::task_id b) {
                              return kept.tasks[a].ended > kept.tasks[b].ended;
                            });
  for (std::ptrdiff_t i = 0; i < told; ++i) {
    const simulator::task_id task = order[static_cast<std::size_t>(i)];
    const traces::trace& recorded = asked.of.recorded;
    const std::uint32_t name = recorded.tasks[task].name;
    made.last.push_back(
        {task, name < recorded.names.size() ? recorded.names[name] : "", kept.tasks[task]});
  }
  made.workers = std::move(kept.nodes);
  return made;
}

std::string story_of(const late_task& one) {
  const task_story& of = one.story;
  std::string text = fmt::format("task {}{}: queued on worker {} at {}", one.task,
                                 one.name.empty() ? "" : fmt::format(" ({})", visible(one.name)),
                                 of.home, duration_text(of.came));
  if (of.moves > 0) {
    text += fmt::format(", moved from worker {} at {} to worker {} at {}{}", of.from,
                        duration_text(of.left), of.node, duration_text(of.landed),
                        of.moves > 1 ? fmt::format(" (the task's move number {})", of.moves) : "");
  }
  return text + fmt::format(", started there at {} and ended at {}, {} after it started",
                            duration_text(of.begun), duration_text(of.ended),
                            duration_text(of.ended - of.begun));
}

std::vector<std::string> findings_of(const explained_run& own, const explained_run& best) {
  std::vector<std::pair<double, const part*>> more;
  const double behind = own.makespan - best.makespan;
  for (const part& one : parts) more.emplace_back(own.mean.*one.of - best.mean.*one.of, &one);
  std::ranges::sort(more, std::greater<>{}, &std::pair<double, const part*>::first);
  std::vector<std::string> found;
  for (const auto& [seconds, which] : more) {
    if (seconds < 0.1 * behind) continue;
    found.push_back(fmt::format(
        "\"{}\" takes {} more of each worker's time, {} of the {} difference", which->told,
        duration_text(seconds), share_text(seconds / behind), duration_text(behind)));
  }
  if (!own.last.empty()) {
    const task_story& last = own.last.front().story;
    const double length = last.ended - last.begun;
    if (length > behind) {
      found.push_back(fmt::format(
          "the last task takes {}, which is longer than the lag of {}; the task began {} too late",
          duration_text(length), own.strategy, duration_text(behind)));
    }
  }
  return found;
}

json to_json(const node_time& of) {
  json made = json::object();
  for (const part& one : parts) made[one.key] = of.*one.of;
  return made;
}

json to_json(const explained_run& run) {
  json last = json::array();
  for (const late_task& one : run.last) {
    const task_story& of = one.story;
    const auto if_moved = [&of](auto value) { return of.moves > 0 ? json(value) : json(nullptr); };
    last.push_back({{"task", one.task},
                    {"name", one.name},
                    {"home", of.home},
                    {"came_seconds", of.came},
                    {"moves", of.moves},
                    {"from", if_moved(of.from)},
                    {"left_seconds", if_moved(of.left)},
                    {"landed_seconds", if_moved(of.landed)},
                    {"worker", of.node},
                    {"began_seconds", of.begun},
                    {"ended_seconds", of.ended}});
  }
  json workers = json::array();
  for (const node_time& of : run.workers) workers.push_back(to_json(of));
  return {{"name", run.strategy},
          {"seconds", run.makespan},
          {"mean_seconds", to_json(run.mean)},
          {"workers", std::move(workers)},
          {"last_tasks", std::move(last)}};
}

/// The worker that had nothing to do for the longest time while other workers had waiting tasks.
std::size_t hungriest(const explained_run& run) {
  const auto hungry = [](const node_time& of) { return of.planning + of.elsewhere + of.receiving; };
  const auto most = std::ranges::max_element(run.workers, {}, hungry);
  return static_cast<std::size_t>(most - run.workers.begin());
}

}  // namespace

std::vector<explanation> explain_exceptions(const comparison& made, const comparison_plan& plan,
                                            const std::vector<recorded_program>& programs) {
  std::vector<explanation> all;
  const auto usual =
      std::ranges::find(plan.strategies, runtime_options{}.balancer, &runtime_options::balancer);
  if (usual == plan.strategies.end()) return all;
  const auto own = static_cast<std::size_t>(usual - plan.strategies.begin());
  for (std::size_t i = 0; i < made.cells.size(); ++i) {
    const comparison_cell& cell = made.cells[i];
    if (!cell.counts() || cell.contenders[own].over_best <= close_enough) continue;
    const auto program = std::ranges::find(programs, cell.program, &recorded_program::name);
    if (program == programs.end()) continue;
    const replay_request asked{*program, machine_named(cell.machine),
                               workloads::placement_named(cell.placement), cell.workers};
    const simulator::task_graph placed = placed_program(asked);
    explanation one;
    one.cell = i;
    one.own = explain_run(asked, placed, *usual);
    one.best = explain_run(asked, placed, plan.strategies[cell.best]);
    if (one.own.makespan > close_enough * one.best.makespan) {
      one.findings = findings_of(one.own, one.best);
    } else {
      one.findings.emplace_back(
          "the replay of a recording shows no such difference, so the costs that a replay models "
          "are not the reason; the measurement may have been disturbed");
    }
    all.push_back(std::move(one));
  }
  return all;
}

json to_json(const explanation& one, const comparison& made) {
  const comparison_cell& cell = made.cells[one.cell];
  return {{"program", cell.program},   {"machine", cell.machine},    {"placement", cell.placement},
          {"workers", cell.workers},   {"measured", !cell.forecast}, {"default", to_json(one.own)},
          {"best", to_json(one.best)}, {"findings", one.findings}};
}

std::string to_text(const explanation& one, const comparison& made) {
  const comparison_cell& cell = made.cells[one.cell];
  std::string text =
      fmt::format("\n{}, {}, {}: {} takes {}, {} {}\n", visible(cell.program), cell.machine,
                  heading_of(cell), one.own.strategy, duration_text(one.own.makespan),
                  one.best.strategy, duration_text(one.best.makespan));
  if (!cell.forecast) text += "measured; the figures are from the replay of a recording\n";
  const std::size_t worst = hungriest(one.own);
  text_table table{{"<of the time", one.own.strategy, one.best.strategy,
                    fmt::format("{}, worker {}", one.own.strategy, worst)}};
  for (const part& of : parts) {
    table.add_row(of.told, duration_text(one.own.mean.*of.of), duration_text(one.best.mean.*of.of),
                  duration_text(one.own.workers[worst].*of.of));
  }
  text += table.to_string();
  for (const std::string& found : one.findings) text += fmt::format("- {}\n", found);
  text += fmt::format("the last tasks under {}:\n", one.own.strategy);
  for (const late_task& task : one.own.last) text += fmt::format("  {}\n", story_of(task));
  text += fmt::format("the last tasks under the best strategy, {}:\n", one.best.strategy);
  if (!one.best.last.empty()) text += fmt::format("  {}\n", story_of(one.best.last.front()));
  return text;
}

}  // namespace evencube::cli
