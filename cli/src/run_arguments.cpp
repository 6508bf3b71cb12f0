#include "run_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <variant>

#include "console.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

/// Whether an option of the workload makes it write several files.
bool asks_for_a_folder(const run_arguments& arguments) {
  const auto& known = workloads::registered_workloads();
  const auto entry = std::ranges::find(known, arguments.workload, &workloads::workload_entry::name);
  if (entry == known.end()) return false;
  const auto given = arguments.options.values.find(entry->folder_option);
  if (given == arguments.options.values.end()) return false;
  const auto* const number = std::get_if<std::int64_t>(&given->second);
  return number != nullptr && *number > 0;
}

void add_what_runs(CLI::App& command, run_arguments& arguments) {
  const heading here{command, headings::what_runs};
  // A held round is in place of a workload; `run_and_print` checks that there is one of both.
  add_workload_name(command, arguments.workload)->required(false);
  command.add_option("--hold", arguments.held_loads,
                     "Instead of a workload: carry out one round of balancing while all workers "
                     "are held. The value lists each worker's number of tasks, such as 15,1,1,1");
  command
      .add_option("--cost", arguments.held_costs,
                  "With --hold: the cost of each task in quanta, or several costs that are given "
                  "to tasks in turn, such as 1,2,50")
      ->capture_default_str();
  CLI::Option* const over_ranks = command.add_flag(
      "--cluster", arguments.over_ranks,
      "Run edges, mandelbrot, matmul or uts on the ranks that mpirun starts (without mpirun, on "
      "one rank). --workers applies to each rank, and --balancer plans moves between ranks");
  add_choice(command, "--sharing", arguments.sharing, {"lifelines", "rounds"},
             "How tasks move between ranks: along lifelines, when a rank without work asks its "
             "neighbours, or in rounds that the balancer plans (the default with --balancer)")
      ->needs(over_ranks);
  add_engine_option(command, arguments.engines);
  add_placement_option(command, arguments.placement);
  add_whole_number(command, "--repeat", arguments.repeat, {1, 1000},
                   "Number of runs; the median is reported");
  command.add_flag("--verify,!--no-verify", arguments.verify, "Check the result (the default)");
}

void add_results(CLI::App& command, run_arguments& arguments) {
  const heading here{command, headings::results};
  command.add_option("--output", arguments.output, output_help());
  command.add_option("--trace", arguments.trace,
                     "Record the run for evencube trace, whatif and compare (of several runs, the "
                     "one with the median time). The file is compressed if its name ends in .gz");
  command.add_flag("--live", arguments.live,
                   "Show the workers' activity on standard error during the run: load, busy share, "
                   "tasks per second, moves over each dimension");
  add_whole_number(command, "--live-ms", arguments.live_ms, {10, 3'600'000},
                   "With --live: the milliseconds between updates (default 500)");
  command.add_flag(
      "--forecast", arguments.forecast,
      "Measure every strategy, and compare each time with a forecast from one recorded run");
  command.add_flag("--json", arguments.as_json, "Print one JSON object");
}

}  // namespace

void require_own_file(const run_arguments& arguments) {
  if (arguments.output && workloads::same_file(*arguments.trace, *arguments.output)) {
    throw usage_error{
        fmt::format("--trace {}: this is also the file of --output", *arguments.trace)};
  }
  known_inputs{arguments.options}.refuse("--trace", *arguments.trace);
}

std::optional<workloads::results_folder> require_output(const run_arguments& arguments) {
  const std::filesystem::path output = *arguments.output;
  const auto input = input_file(arguments.options);
  std::error_code unknown;
  const known_inputs inputs{arguments.options};
  const bool of_a_folder = input && std::filesystem::is_directory(*input, unknown);
  if (!of_a_folder && !asks_for_a_folder(arguments)) {
    workloads::require_writable(output);
    inputs.refuse("--output", output);
    return std::nullopt;
  }
  workloads::results_folder made{output, false};
  inputs.refuse("--output", output);
  workloads::require_writable(output / "evencube.png");
  for (const auto& one : std::filesystem::directory_iterator{output, unknown}) {
    inputs.refuse("--output", one.path());
  }
  return made;
}

void tell_left_out(const run_arguments& arguments, const workloads::workload& work) {
  const auto left_out = work.left_out();
  if (left_out.empty()) return;
  for (const auto& why : left_out) complain(why);
  throw usage_error{fmt::format(
      "{} file{} of {} {} left out; the results of the other files {}", left_out.size(),
      left_out.size() == 1 ? "" : "s", input_of(arguments.workload, arguments.options),
      left_out.size() == 1 ? "was" : "were", arguments.output ? "are written" : "are correct")};
}

CLI::App* add_run_arguments(CLI::App& app, run_arguments& arguments) {
  auto* const command = app.add_subcommand(
      "run", "Run a workload on the workers and compare it with its serial twin");
  add_what_runs(*command, arguments);
  add_runtime_options(*command, arguments.engine);
  add_workload_options(*command, arguments.options);
  add_results(*command, arguments);
  command->footer(
      "A file is replaced once the new file is complete; other hard links to it keep the old "
      "content.\n"
      "Examples:\n"
      "  evencube run edges --input photo.png --output edges.png\n"
      "  evencube run edges --input photos --output edges\n"
      "  evencube run heat --frames 100 --output frames\n"
      "  evencube run edges --size 4096 --placement one --balancer dem --repeat 5\n"
      "  evencube run mandelbrot --real 0 --imaginary 1 --zoom 1e100 --output lightning.png\n"
      "  evencube run matmul --size 2048 --tile 256 --placement skewed\n"
      "  evencube run spin --size 4096 --task-us 10 --placement one --workers 2 --json\n"
      "  evencube run edges --size 4096 --engine evencube,tbb,openmp --repeat 5\n"
      "  evencube run spin --size 100000 --placement one --live\n"
      "  evencube run edges --size 4096 --workers 2 --trace edges.trace\n"
      "  evencube run --hold 15,1,1,1,1,1,1,1 --balancer dem --transmission phased --cost 10\n"
      "  mpirun -np 4 evencube run uts --tree T3 --cluster --workers 1");
  return command;
}

}  // namespace evencube::cli
