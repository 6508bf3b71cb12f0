#include "forecast_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/what_if.hpp>

#include "calibration.hpp"
#include "failure.hpp"
#include "measurement.hpp"
#include "number_text.hpp"
#include "recordings.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {

double forecast_row::error() const {
  return std::abs(forecast_seconds - measured_seconds) / measured_seconds;
}

forecast_table forecast_and_measure(workloads::workload& work, const runtime_options& options,
                                    unsigned repeat) {
  forecast_table made;
  std::vector<forecast_row>& rows = made.rows;
  for (const auto& entry : registered_balancers()) rows.push_back({.balancer = entry.name});
  rows.push_back({.balancer = "random_stealing"});
  const auto with = [&](const std::string& balancer) {
    runtime_options one = options;
    if (balancer != options.balancer) one.options.clear();
    one.balancer = balancer;
    return one;
  };
  const machine_costs costs = calibrate();
  std::vector<traces::trace> traces;
  std::vector<std::vector<double>> seconds(rows.size());
  for (unsigned i = 0; i < repeat; ++i) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].refused.empty()) continue;
      try {
        const auto workers = start_runtime(with(rows[r].balancer));
        {
          const hold_guard started = workers->hold();
        }  // as recording does: every thread is there
        seconds[r].push_back(run_once(work, *workers, false).seconds);
      } catch (const usage_error& problem) {
        rows[r].refused = problem.what();
      }
    }
    traces.push_back(record(work, options, costs));
    made.recorded_errors.push_back(simulator::forecast_error(traces.back()));
  }
  std::ranges::sort(made.recorded_errors);
  const traces::trace recorded = median_trace(std::move(traces));
  const simulator::task_graph program = simulator::program_of(recorded);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].refused.empty()) continue;
    rows[r].measured_seconds = median_time(std::move(seconds[r]));
    simulator::what_if one = simulator::recorded_configuration(recorded);
    one.options = with(rows[r].balancer).options;
    one.balancer = rows[r].balancer;
    rows[r].forecast_seconds = simulator::replay(program, one).makespan;
  }
  return made;
}

json to_json(const std::string& workload, const forecast_table& table) {
  json all = json::array();
  for (const forecast_row& row : table.rows) {
    if (row.refused.empty()) {
      all.push_back({{"balancer", row.balancer},
                     {"forecast_seconds", row.forecast_seconds},
                     {"measured_seconds", row.measured_seconds},
                     {"error", row.error()}});
    } else {
      all.push_back({{"balancer", row.balancer}, {"refused", row.refused}});
    }
  }
  return {{"workload", workload},
          {"forecasts", std::move(all)},
          {"recorded_errors", table.recorded_errors},
          {"recorded_error", median_time(table.recorded_errors)}};
}

std::string to_text(const forecast_table& table) {
  text_table text{{"<balancer", "forecast", "measured", "off", "<"}};
  for (const forecast_row& row : table.rows) {
    if (row.refused.empty()) {
      text.add_row(row.balancer, duration_text(row.forecast_seconds),
                   duration_text(row.measured_seconds), share_text(row.error()), "");
    } else {
      text.add_row(row.balancer, "", "", "", row.refused);
    }
  }
  return fmt::format(
      "{}\nreplays of the {} recordings themselves: {} off in the median, {} at most\n",
      text.to_string(), table.recorded_errors.size(),
      share_text(median_time(table.recorded_errors)), share_text(table.recorded_errors.back()));
}

}  // namespace evencube::cli
