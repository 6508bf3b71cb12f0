#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/evencube.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "calibration.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "held_round.hpp"
#include "live_view.hpp"
#include "measurement.hpp"
#include "number_text.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "ranks_program.hpp"
#include "recording_origin.hpp"
#include "recordings.hpp"
#include "report.hpp"
#include "run_arguments.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

/// Holds what a run needs. Every fault of the user's input is found here, before any work is done.
struct run_preparation {
  std::optional<workloads::results_folder> folder;
  std::unique_ptr<runtime> workers;
  std::unique_ptr<workloads::workload> work;
  runtime_options options;
  std::vector<std::string> others;
};

/// Refuses the options that other engines do not support.
void check_engines(const run_arguments& arguments, const std::vector<std::string>& others) {
  if (others.empty()) return;
  const auto refuse = [&](const char* option, const char* reason) {
    throw usage_error{fmt::format("--engine {} with {}: {}", arguments.engines, option, reason)};
  };
  if (arguments.trace) {
    refuse("--trace", "only runs without other engines can be recorded");
  }
  if (arguments.forecast) {
    refuse("--forecast", "it compares only strategies of EvenCube");
  }
}

/// The period at which --live shows the workers' activity; 0: never.
std::chrono::milliseconds live_period(const run_arguments& arguments) {
  constexpr std::int64_t usual = 500;
  return std::chrono::milliseconds{arguments.live ? arguments.live_ms.value_or(usual) : 0};
}

run_preparation prepare(const run_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    if (arguments.live_ms && !arguments.live) {
      throw usage_error{
          fmt::format("--live-ms {}: is allowed only with --live", *arguments.live_ms)};
    }
    if (arguments.forecast && arguments.live) {
      throw usage_error{
          "--forecast with --live: --forecast runs many strategies, each for a short time; leave "
          "out one of the options"};
    }
    if (arguments.forecast && (arguments.output || arguments.trace || !arguments.verify)) {
      throw usage_error{
          "--forecast only measures times and cannot be combined with --output, --trace or "
          "--no-verify"};
    }
    run_preparation ready;
    ready.others = listed_engines(arguments.engines);
    check_engines(arguments, ready.others);
    auto options = arguments.options;
    options.where = workloads::placement_named(arguments.placement);
    if (arguments.output) ready.folder = require_output(arguments);
    if (arguments.trace) {
      workloads::require_writable(*arguments.trace);
      require_own_file(arguments);
    }
    check_environment();
    ready.options = make_runtime_options(arguments.engine);
    ready.workers = start_runtime(ready.options);
    ready.work = with_memory_for(input_of(arguments.workload, arguments.options), [&] {
      return workloads::make_workload(arguments.workload, options);
    });
    if (arguments.output && !ready.work->has_output()) {
      throw usage_error{fmt::format(
          "workload {} has no result to write, so --output is not allowed", arguments.workload)};
    }
    return ready;
  });
}

run_report measure(const run_arguments& arguments, run_preparation& ready) {
  progress_bar progress{!arguments.as_json && !arguments.live && stderr_is_terminal()};
  auto& work = *ready.work;
  std::vector<double> serial;
  std::vector<sample> samples;
  const auto workers = static_cast<unsigned>(ready.workers->workers());
  std::vector<std::vector<engine_sample>> by_others(ready.others.size());
  for (unsigned repetition = 0; repetition < arguments.repeat; ++repetition) {
    const auto of_all = arguments.repeat == 1
                            ? std::string{}
                            : fmt::format(" {}/{}", repetition + 1, arguments.repeat);
    progress.show("serial twin" + of_all);
    serial.push_back(time_serial(work));
    // EvenCube runs last, so that the result that is written is its own.
    for (std::size_t i = 0; i < ready.others.size(); ++i) {
      progress.show(fmt::format("{} by {}{}", arguments.workload, ready.others[i], of_all));
      by_others[i].push_back(run_by_another(work, ready.others[i], workers, arguments.verify));
    }
    progress.show(arguments.workload + of_all, [&workers = *ready.workers, tasks = work.tasks()] {
      return finished_share(workers, tasks);
    });
    const live_view live{*ready.workers, arguments.workload + of_all, live_period(arguments)};
    samples.push_back(
        run_once(work, *ready.workers, arguments.verify, arguments.trace.has_value()));
  }
  std::vector<engine_sample> others;
  for (auto& samples_of : by_others) others.push_back(median_sample(std::move(samples_of)));
  return {std::string{work.name()},
          ready.options,
          arguments.placement,
          workers,
          median_time(std::move(serial)),
          median_sample(std::move(samples)),
          std::move(others)};
}

/// The forecast and the measured time of one strategy.
struct forecast_row {
  std::string balancer;
  double forecast_seconds = 0;
  double measured_seconds = 0;
  /// The reason why the strategy has no figures; empty if it has figures.
  std::string refused = {};

  /// The relative error: |forecast - measured| / measured.
  [[nodiscard]] double error() const {
    return std::abs(forecast_seconds - measured_seconds) / measured_seconds;
  }
};

struct forecast_table {
  std::vector<forecast_row> rows;
  /// The error of each recording's replay against the recording itself, in ascending order.
  std::vector<double> recorded_errors;
};

/// Runs the workload under every registered balancer and random stealing, `repeat` times in turn.
/// The measured time is the median. Runs of `options.balancer` are recorded, and the forecasts are
/// replays of its recording of median makespan.
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
        }  // as recording does: starts every thread before the clock
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
      "{}\n"
      "replays of the {} recorded runs differ from those runs by {} in the median, and by at most "
      "{}\n",
      text.to_string(), table.recorded_errors.size(),
      share_text(median_time(table.recorded_errors)), share_text(table.recorded_errors.back()));
}

void run_and_print(const run_arguments& arguments) {
  if (arguments.workload.empty()) throw usage_error{"WORKLOAD or --hold LOADS is required"};
  auto ready = prepare(arguments);
  if (arguments.forecast) {
    ready.workers.reset();  // only one runtime at a time
    const auto table = with_memory_for(input_of(arguments.workload, arguments.options), [&] {
      return forecast_and_measure(*ready.work, ready.options, arguments.repeat);
    });
    arguments.as_json ? print_json(to_json(arguments.workload, table)) : print(to_text(table));
    return;
  }
  const auto report = with_memory_for(input_of(arguments.workload, arguments.options),
                                      [&] { return measure(arguments, ready); });
  const bool writes = not_failed(report.check()) && arguments.output.has_value();
  if (writes) ready.work->write_output(*arguments.output);
  if (arguments.trace) {
    auto recorded = trace_of(report.measured.take, *ready.workers, arguments.workload,
                             ready.options, calibrate());
    describe_origin(recorded);
    workloads::replace_file(*arguments.trace, [&](const workloads::byte_sink& to) {
      arguments.trace->ends_with(".gz") ? traces::write_packed_trace(recorded, to)
                                        : traces::write_trace(recorded, to);
    });
  }
  if (arguments.as_json) {
    print_json(to_json(report));
  } else {
    print(fmt::format("{}\n{}", ready.workers->reason(), to_text(report)));
    if (writes) print(fmt::format("wrote {}\n", *arguments.output));
    if (arguments.trace) {
      print(fmt::format(
          "wrote {}{}\n", *arguments.trace,
          report.measured.take.cut ? ", incomplete because the recording's memory was full" : ""));
    }
  }
  require_good(report.check(), arguments.output.has_value());
  tell_left_out(arguments, *ready.work);
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto arguments = std::make_shared<run_arguments>();
  auto* const command = add_run_arguments(app, *arguments);
  command->callback([arguments, command] {
    if (command->count("--hold") + command->count("--cost") != 0) {
      run_held_round(*arguments, *command);
      return;
    }
    if (arguments->over_ranks) refuse_without_ranks_program();
    run_and_print(*arguments);
  });
}

}  // namespace evencube::cli
