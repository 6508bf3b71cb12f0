#include "report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "number_text.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

std::string workers_text(const run_report& report) {
  const auto& counters = report.measured.counters;
  std::uint64_t executed = 0;
  for (const auto& worker : counters.workers) executed += worker.executed;
  text_table table{{"worker", "tasks", "of all", "busy", "of the time", "parks"}};
  for (std::size_t index = 0; index < counters.workers.size(); ++index) {
    const auto& worker = counters.workers[index];
    const double share =
        executed == 0 ? 0 : static_cast<double>(worker.executed) / static_cast<double>(executed);
    table.add_row(index, worker.executed, share_text(share), duration_text(worker.busy_seconds),
                  share_text(worker.busy_seconds / report.measured.seconds), worker.parks);
  }
  return table.to_string();
}

std::string dimensions_text(const statistics& counters) {
  if (counters.moved_by_dimension.empty()) return {};
  text_table table{{"dimension", "tasks moved", "by rounds", "by pulls", "by rescues"}};
  for (std::size_t index = 0; index < counters.moved_by_dimension.size(); ++index) {
    table.add_row(index, counters.moved_by_dimension[index], counters.moved_by_rounds[index],
                  counters.moved_by_pulls[index], counters.moved_by_rescues[index]);
  }
  return table.to_string() + "\n";
}

/// What was measured of tasks; nothing where nothing is.
std::string costs_text(const statistics& counters) {
  if (counters.task_costs.empty()) return {};
  text_table table{{"<function", "measured", "mean", "deviation"}};
  for (const task_cost& cost : counters.task_costs) {
    table.add_row(visible_and_short(cost.name, 60), cost.samples, duration_text(cost.mean_seconds),
                  duration_text(cost.deviation_seconds));
  }
  return table.to_string() + "\n";
}

/// What the rounds did to the loads, and what the thread that planned them took.
std::string rounds_text(const statistics& counters) {
  std::string text;
  if (counters.rounds != 0) {
    text += fmt::format(", largest load / mean load {:.2f} before and {:.2f} after",
                        counters.imbalance_before, counters.imbalance_after);
  }
  if (counters.balancer_thread_seconds > 0) {
    text += fmt::format(", and {} in the balancer's thread",
                        duration_text(counters.balancer_thread_seconds));
  }
  return text;
}

/// Nothing if EvenCube is alone.
std::string engines_text(const run_report& report) {
  if (report.others.empty()) return {};
  text_table table{{"<engine", "time", "speed-up", "of evencube's time", "result"}};
  table.add_row(own_engine, duration_text(report.measured.seconds),
                fmt::format("{:.2f}", report.speedup()), "", verdict_on(report.measured.check));
  for (const engine_sample& other : report.others) {
    table.add_row(other.engine, duration_text(other.seconds),
                  fmt::format("{:.2f}", report.serial_seconds / other.seconds),
                  fmt::format("{:.2f}", other.seconds / report.measured.seconds),
                  verdict_on(other.check));
  }
  return fmt::format(
      "\nThe same tasks under other engines, whose threads are not bound to units:\n\n{}",
      table.to_string());
}

}  // namespace

double run_report::speedup() const { return serial_seconds / measured.seconds; }

double run_report::efficiency() const { return speedup() / workers; }

const checked& run_report::check() const {
  if (!not_failed(measured.check)) return measured.check;
  const auto failed = std::ranges::find_if(
      others, [](const engine_sample& other) { return !not_failed(other.check); });
  return failed == others.end() ? measured.check : failed->check;
}

json to_json(const std::vector<engine_sample>& others, double serial_seconds, double own_seconds) {
  json all = json::array();
  for (const engine_sample& other : others) {
    all.push_back({{"engine", other.engine},
                   {"seconds", other.seconds},
                   {"speedup", serial_seconds / other.seconds},
                   {"over_evencube", other.seconds / own_seconds},
                   {"verified", to_json(other.check)}});
  }
  return all;
}

json to_json(const run_report& report) {
  const auto& counters = report.measured.counters;
  json executed = json::array();
  for (const auto& worker : counters.workers) executed.push_back(worker.executed);
  json object = {{"workload", report.workload},
                 {"workers", report.workers},
                 {"balancer", report.options.balancer.name()},
                 {"transmission", report.options.transmission.text()},
                 {"placement", report.placement},
                 {"tasks", report.measured.tasks},
                 {"seconds", report.measured.seconds},
                 {"serial_seconds", report.serial_seconds},
                 {"speedup", report.speedup()},
                 {"efficiency", report.efficiency()},
                 {"verified", to_json(report.measured.check)},
                 {"executed_per_worker", std::move(executed)},
                 {"rounds", counters.rounds},
                 {"tasks_moved", counters.tasks_moved},
                 {"mode", name_of(report.options.mode)},
                 {"pulls", report.options.pulls},
                 {"moved_by_dimension", counters.moved_by_dimension},
                 {"moved_by_rounds", counters.moved_by_rounds},
                 {"moved_by_pulls", counters.moved_by_pulls},
                 {"moved_by_rescues", counters.moved_by_rescues},
                 {"requests",
                  {{"moved", counters.requests.moved},
                   {"nothing", counters.requests.nothing},
                   {"left_to_thread", counters.requests.left_to_thread},
                   {"too_soon", counters.requests.too_soon},
                   {"under_way", counters.requests.under_way},
                   {"not_asked", counters.requests.not_asked}}},
                 {"imbalance_before", counters.imbalance_before},
                 {"imbalance_after", counters.imbalance_after},
                 {"balancer_seconds", counters.balancing_seconds},
                 {"balancer_thread_seconds", counters.balancer_thread_seconds}};
  if (!counters.task_costs.empty()) {
    json& costs = object["task_costs"] = json::array();
    for (const task_cost& cost : counters.task_costs) {
      costs.push_back({{"function", cost.name},
                       {"samples", cost.samples},
                       {"mean_seconds", cost.mean_seconds},
                       {"deviation_seconds", cost.deviation_seconds}});
    }
  }
  if (!report.others.empty()) {
    object["others"] = to_json(report.others, report.serial_seconds, report.measured.seconds);
  }
  return object;
}

std::string to_text(const run_report& report) {
  const auto& counters = report.measured.counters;
  return fmt::format(
      "{}: {} tasks, placement {}, balancer {}, transmission {}, mode {}, pulls {}\n\n{}\n{}{}"
      "{} tasks moved; {} rounds, {} in balancing{}\n\n"
      "serial twin  {}\nparallel     {}\nspeed-up     {:.2f}, efficiency {:.2f}\n{}\n{}",
      report.workload, report.measured.tasks, report.placement, report.options.balancer.name(),
      report.options.transmission.text(), name_of(report.options.mode),
      report.options.pulls ? "on" : "off", workers_text(report), dimensions_text(counters),
      costs_text(counters), counters.tasks_moved, counters.rounds,
      duration_text(counters.balancing_seconds), rounds_text(counters),
      duration_text(report.serial_seconds), duration_text(report.measured.seconds),
      report.speedup(), report.efficiency(), check_text(report.measured.check),
      engines_text(report));
}

}  // namespace evencube::cli
