#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "busy_machine.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "options.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "runtime_arguments.hpp"
#include "speedup.hpp"
#include "speedup_plot.hpp"
#include "speedup_report.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

struct speedup_arguments {
  std::string workload;
  std::string workers;
  runtime_arguments engine;
  std::string engines = own_engine;
  std::string placement = "spread";
  workloads::workload_options options;
  unsigned repeat = 5;
  bool verify = true;
  bool weak = false;
  std::optional<std::string> plot;
  bool as_json = false;
  bool as_csv = false;
};

/// Holds what a measurement needs. Every fault of the user's input is found here, before any work
/// is done.
struct speedup_preparation {
  speedup_plan plan;
  serial_copies::maker make;
  std::unique_ptr<workloads::workload> work;
};

/// How the problem of the workload grows.
std::string growth_of(const std::string& workload) {
  for (const auto& entry : workloads::registered_workloads()) {
    if (entry.name == workload) return std::string{entry.growth};
  }
  return {};
}

/// The workload for each number of workers, with a problem that grows with it. The largest problem
/// is made first, so that a problem that is too large is refused before memory is filled for the
/// others.
std::vector<std::unique_ptr<workloads::workload>> grown_for(const std::vector<unsigned>& workers,
                                                            const std::string& workload,
                                                            workloads::workload_options options) {
  const std::string worked_on = input_of(workload, options);
  std::vector<std::size_t> order(workers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return workers[i]; });
  std::vector<std::unique_ptr<workloads::workload>> grown(workers.size());
  for (const std::size_t i : order) {
    options.times = workers[i];
    grown[i] = with_memory_for(fmt::format("{} for each of {} workers", worked_on, workers[i]),
                               [&] { return workloads::make_workload(workload, options); });
  }
  return grown;
}

speedup_preparation prepare(const speedup_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    if (arguments.plot) check_plot_file(*arguments.plot, arguments.options);
    require_lasting_input(arguments.options);
    const auto input = input_file(arguments.options);
    if (arguments.weak && input) {
      throw usage_error{
          fmt::format("--weak --input {}: a given picture has a fixed size; only a generated "
                      "picture grows with the workers",
                      input->string())};
    }
    check_environment();
    speedup_preparation ready;
    speedup_plan& plan = ready.plan;
    plan.repeat = arguments.repeat;
    plan.verify = arguments.verify;
    plan.options = make_runtime_options(arguments.engine);
    plan.others = listed_engines(arguments.engines);
    plan.workers =
        arguments.workers.empty()
            ? usual_worker_counts(static_cast<unsigned>(start_runtime(plan.options)->workers()))
            : listed_worker_counts(arguments.workers);
    auto options = arguments.options;
    options.where = workloads::placement_named(arguments.placement);
    ready.make = [name = arguments.workload, options] {
      return workloads::make_workload(name, options);
    };
    const std::string worked_on = input_of(arguments.workload, options);
    if (arguments.weak) plan.grown = grown_for(plan.workers, arguments.workload, options);
    ready.work = with_memory_for(worked_on, ready.make);
    for (const auto& why : ready.work->left_out()) complain(why);
    return ready;
  });
}

speedup_report measure(const speedup_arguments& arguments, speedup_preparation& ready) {
  const bool plain = arguments.as_json || arguments.as_csv;
  progress_bar progress{!plain && stderr_is_terminal()};
  serial_copies copies{*ready.work, ready.make};
  auto report = measure_speedup(*ready.work, copies, ready.plan, progress);
  report.placement = arguments.placement;
  if (report.weak) report.growth = growth_of(arguments.workload);
  return report;
}

void run_and_print(const speedup_arguments& arguments) {
  auto ready = prepare(arguments);
  const machine_watch machine;
  const auto report = with_memory_for(input_of(arguments.workload, arguments.options),
                                      [&] { return measure(arguments, ready); });
  if (report.good() && arguments.plot) {
    const std::string picture = speedup_plot(report);
    workloads::replace_file(*arguments.plot, workloads::bytes_of(picture));
  }
  if (arguments.as_json) {
    print_json(to_json(report));
  } else if (arguments.as_csv) {
    print(to_csv(report));
  } else {
    print(to_text(report) + machine.warning());
    if (report.good() && arguments.plot) print(fmt::format("wrote {}\n", *arguments.plot));
  }
  require_good(report.check, arguments.plot.has_value());
}

void add_what_runs(CLI::App& command, speedup_arguments& arguments) {
  const heading here{command, headings::what_runs};
  add_workload_name(command, arguments.workload);
  add_engine_option(command, arguments.engines);
  add_placement_option(command, arguments.placement);
  add_whole_number(command, "--repeat", arguments.repeat, {1, 1000},
                   "The number of measurement rounds; medians are reported");
  command.add_flag("--verify,!--no-verify", arguments.verify, "Check every result (the default)");
  command.add_flag("--weak", arguments.weak,
                   "Weak scaling: the problem grows with the number of workers, and --size is the "
                   "size for one worker");
}

}  // namespace

void add_speedup_command(CLI::App& app) {
  auto arguments = std::make_shared<speedup_arguments>();
  auto* command =
      app.add_subcommand("speedup",
                         "Measure a workload on increasing numbers of workers, and compare it with "
                         "its serial twin and with serial runs in parallel");
  add_what_runs(*command, *arguments);
  {
    const heading here{*command, headings::machine};
    command->add_option(
        "--workers", arguments->workers,
        "Numbers of workers, such as 1,2,4 (default: the number of usable cores and all smaller "
        "powers of two). Each worker's serial copy has its own copy of the data");
    add_machine_option(*command, arguments->engine.machine);
  }
  add_strategy_options(*command, arguments->engine);
  add_workload_options(*command, arguments->options);
  const heading here{*command, headings::results};
  command->add_option("--plot", arguments->plot, "Write speed-up and efficiency to this SVG file");
  auto* const as_json = command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->add_flag("--csv", arguments->as_csv, "Print a line of CSV for each number of workers")
      ->excludes(as_json);
  command->footer(
      "Examples:\n"
      "  evencube speedup edges --size 4096 --placement one\n"
      "  evencube speedup edges --size 4096 --workers 1,2,4 --balancer cwa --plot edges.svg\n"
      "  evencube speedup edges --input photo.png --engine evencube,tbb,openmp\n"
      "  evencube speedup spin --weak --size 2000 --workers 1,2,4\n"
      "  evencube speedup matmul --size 1024 --mode thread --pulls off --csv");
  command->callback([arguments] { run_and_print(*arguments); });
}

}  // namespace evencube::cli
