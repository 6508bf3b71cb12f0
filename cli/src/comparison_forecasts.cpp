#include "comparison_forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibration.hpp"
#include "recordings.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

using enum slow_cores;

const std::array machines{
    forecast_machine{"equal", "all cores of equal speed", none, true, 1},
    forecast_machine{"hybrid", "the second half of the workers on cores of half the speed",
                     second_half, true, 1},
    forecast_machine{"numa2", "two NUMA nodes, one hop apart", none, true, 2},
    forecast_machine{"numa8", "eight NUMA nodes, up to three hops apart", none, true, 8},
    forecast_machine{"slowed", "the last worker on a core that other load slows to half its speed",
                     last, false, 1},
};

}  // namespace

std::vector<double> forecast_machine::speeds(unsigned workers) const {
  if (slow == none) return {};
  std::vector<double> made(workers, 1.0);
  const unsigned first = slow == last ? workers - 1 : (workers + 1) / 2;
  std::fill(made.begin() + first, made.end(), 0.5);
  return made;
}

std::span<const forecast_machine> forecast_machines() { return machines; }

const forecast_machine& machine_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const forecast_machine& one : machines) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  throw std::invalid_argument{
      fmt::format("unknown machine \"{}\"; known: {}", name, fmt::join(known, ", "))};
}

recorded_program read_program(const std::string& file) {
  checked_trace given = read_checked_trace(file);
  std::string name = given.source.workload;
  return {std::move(name), file, std::move(given.source), std::move(given.program)};
}

recorded_program record_program(workloads::workload& work, const runtime_options& options,
                                unsigned repeat) {
  const machine_costs costs = calibrate();
  std::vector<traces::trace> all;
  for (unsigned i = 0; i < repeat; ++i) all.push_back(record(work, options, costs));
  traces::trace recorded = median_trace(std::move(all));
  simulator::task_graph program = simulator::program_of(recorded);
  return {recorded.workload, {}, std::move(recorded), std::move(program)};
}

simulator::task_graph placed_program(const replay_request& asked) {
  simulator::task_graph placed = asked.of.program;
  simulator::place_groups(placed, asked.of.recorded, [&](std::size_t index) {
    const auto home = workloads::home_of(asked.where, index, asked.workers);
    return home ? std::optional{static_cast<node_id>(*home)} : std::nullopt;
  });
  return placed;
}

simulator::distribution time_from_run_to_run() {
  return simulator::distribution::uniform(0.9, 1.1);
}

simulator::result replay_on(const replay_request& asked, const simulator::task_graph& placed,
                            const runtime_options& options, std::uint64_t seed,
                            simulator::ledger* kept) {
  simulator::what_if one;
  one.balancer = options.balancer;
  one.options = options.options;
  one.transmission = parse_transmission(options.transmission.text());
  one.topology = fmt::format("cube:{}", asked.workers);
  one.capacities = asked.on.speeds(asked.workers);
  one.speeds_known = asked.on.speeds_known;
  one.distance = {asked.on.numa_nodes, asked.on.numa_nodes > 1 ? time_per_numa_hop : 0};
  one.costs = asked.of.recorded.costs;
  one.rounds = options.mode != balancer_mode::on_demand;
  one.by_thread = has_balancer_thread(options.mode);
  if (one.by_thread) one.period = std::chrono::duration<double>(options.period).count();
  one.threshold = static_cast<load_type>(options.threshold);
  one.pulls = options.pulls;
  one.largest_first = options.largest_first;
  return simulator::replay(placed, one, seed, kept);
}

}  // namespace evencube::cli
