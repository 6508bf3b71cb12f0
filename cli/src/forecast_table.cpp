#include "forecast_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>

#include "measurement.hpp"
#include "number_text.hpp"
#include "recorded_trace.hpp"
#include "text_table.hpp"

namespace evencube::cli {

double forecast_row::error() const {
  return std::abs(forecast_seconds - measured_seconds) / measured_seconds;
}

std::vector<forecast_row> forecast_and_measure(workloads::workload& work,
                                               const runtime_options& options, unsigned repeat) {
  std::vector<forecast_row> rows;
  for (const auto& entry : registered_balancers()) rows.push_back({.balancer = entry.name});
  rows.push_back({.balancer = "random_stealing"});
  const auto with = [&](const std::string& balancer) {
    runtime_options one = options;
    if (balancer != options.balancer) one.options.clear();
    one.balancer = balancer;
    return one;
  };
  const machine_costs costs = calibrate();
  std::vector<simulator::trace> traces;
  std::vector<std::vector<double>> seconds(rows.size());
  for (unsigned i = 0; i < repeat; ++i) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].refused.empty()) continue;
      try {
        runtime workers(with(rows[r].balancer));
        { const held started = workers.hold(); }  // as recording does: every thread is there
        seconds[r].push_back(run_once(work, workers, false).seconds);
      } catch (const std::invalid_argument& problem) {
        rows[r].refused = problem.what();
      }
    }
    runtime workers(options);
    const sample recorded = run_once(work, workers, false, true);
    traces.push_back(trace_of(recorded.take, workers, std::string{work.name()}, options, costs));
  }
  const auto middle = traces.begin() + static_cast<std::ptrdiff_t>((traces.size() - 1) / 2);
  std::ranges::nth_element(traces, middle, {}, &simulator::trace::makespan);
  const simulator::task_graph program = simulator::program_of(*middle);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].refused.empty()) continue;
    rows[r].measured_seconds = median_time(std::move(seconds[r]));
    simulator::what_if one = simulator::recorded_configuration(*middle);
    one.options = with(rows[r].balancer).options;
    one.balancer = rows[r].balancer;
    rows[r].forecast_seconds = simulator::replay(program, one).makespan;
  }
  return rows;
}

json to_json(const std::vector<forecast_row>& rows) {
  json all = json::array();
  for (const forecast_row& row : rows) {
    if (row.refused.empty()) {
      all.push_back({{"balancer", row.balancer},
                     {"forecast_seconds", row.forecast_seconds},
                     {"measured_seconds", row.measured_seconds},
                     {"error", row.error()}});
    } else {
      all.push_back({{"balancer", row.balancer}, {"refused", row.refused}});
    }
  }
  return {{"forecasts", std::move(all)}};
}

std::string to_text(const std::vector<forecast_row>& rows) {
  using enum text_table::alignment;
  text_table table{{{"balancer", left}, {"forecast"}, {"measured"}, {"off"}, {"", left}}};
  for (const forecast_row& row : rows) {
    if (row.refused.empty()) {
      table.add_row({row.balancer, duration_text(row.forecast_seconds),
                     duration_text(row.measured_seconds), share_text(row.error()), ""});
    } else {
      table.add_row({row.balancer, "", "", "", row.refused});
    }
  }
  return table.to_string();
}

}  // namespace evencube::cli
