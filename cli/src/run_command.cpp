#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "calibration.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "forecast_table.hpp"
#include "live_view.hpp"
#include "measurement.hpp"
#include "number_options.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "recorded_trace.hpp"
#include "report.hpp"
#include "runtime_arguments.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

struct run_arguments {
  std::string workload;
  runtime_arguments engine;
  std::string placement = "spread";
  workloads::workload_options options;
  std::string engines = own_engine;
  std::optional<std::string> output;
  std::optional<std::string> trace;
  bool live = false;
  std::optional<std::int64_t> live_ms;
  unsigned repeat = 1;
  bool verify = true;
  bool forecast = false;
  bool as_json = false;
};

/// Everything that can be wrong with the user's input is found here, before any work is done.
struct run_preparation {
  std::unique_ptr<runtime> workers;
  std::unique_ptr<workloads::workload> work;
  runtime_options options;
  std::vector<std::string> others;
};

/// The trace would replace the picture that was written just before, or the one that was read.
void require_own_file(const run_arguments& arguments) {
  const auto check = [&](const char* name, const std::filesystem::path& other) {
    if (workloads::same_file(*arguments.trace, other)) {
      throw usage_error{
          fmt::format("--trace {}: this is the file of {} too", *arguments.trace, name)};
    }
  };
  if (arguments.output) check("--output", *arguments.output);
  if (const auto input = input_file(arguments.options)) check("--input", *input);
}

/// Whether an option of the workload says that it writes several files.
bool asks_for_a_folder(const run_arguments& arguments) {
  const auto& known = workloads::registered_workloads();
  const auto entry = std::ranges::find(known, arguments.workload, &workloads::workload_entry::name);
  if (entry == known.end()) return false;
  const auto given = arguments.options.values.find(entry->folder_option);
  if (given == arguments.options.values.end()) return false;
  const auto* const number = std::get_if<std::int64_t>(&given->second);
  return number != nullptr && *number > 0;
}

/// Of a folder the results are files in another one, which is made where there is none.
void require_output(const run_arguments& arguments) {
  const std::filesystem::path output = *arguments.output;
  const auto input = input_file(arguments.options);
  std::error_code unknown;
  const bool of_a_folder = input && std::filesystem::is_directory(*input, unknown);
  if (!of_a_folder && !asks_for_a_folder(arguments)) {
    workloads::require_writable(output);
    return;
  }
  if (of_a_folder && workloads::same_file(output, *input)) {
    throw usage_error{
        fmt::format("--output {}: this is the folder of --input too", *arguments.output)};
  }
  std::filesystem::create_directory(output, unknown);
  if (!std::filesystem::is_directory(output)) {
    throw usage_error{fmt::format("{}: cannot make the folder: {}", *arguments.output,
                                  unknown ? unknown.message() : "it is a file")};
  }
  workloads::require_writable(output / "evencube.png");
}

/// After all the others were worked on, written and reported.
void tell_left_out(const run_arguments& arguments, const workloads::workload& work) {
  const auto left_out = work.left_out();
  if (left_out.empty()) return;
  for (const auto& why : left_out) complain(why);
  throw usage_error{fmt::format(
      "{} file{} of {} {} left out; the results of the others {}", left_out.size(),
      left_out.size() == 1 ? "" : "s", input_of(arguments.workload, arguments.options),
      left_out.size() == 1 ? "was" : "were", arguments.output ? "are written" : "are good")};
}

/// What other engines have no part in.
void check_engines(const run_arguments& arguments, const std::vector<std::string>& others) {
  if (others.empty()) return;
  const auto refuse = [&](const char* option, const char* reason) {
    throw usage_error{fmt::format("--engine {} with {}: {}", arguments.engines, option, reason)};
  };
  if (arguments.trace) {
    refuse("--trace", "only EvenCube's tasks can be recorded, and that in a run of its own");
  }
  if (arguments.forecast) {
    refuse("--forecast", "it compares EvenCube's strategies with one another");
  }
}

/// How often to show what the workers do; null: never.
std::chrono::milliseconds live_period(const run_arguments& arguments) {
  constexpr std::int64_t usual = 500;
  return std::chrono::milliseconds{arguments.live ? arguments.live_ms.value_or(usual) : 0};
}

run_preparation prepare(const run_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    if (arguments.live_ms && !arguments.live) {
      throw usage_error{
          fmt::format("--live-ms {}: there is nothing to show without --live", *arguments.live_ms)};
    }
    if (arguments.forecast && arguments.live) {
      throw usage_error{
          "--forecast with --live: it runs under many strategies, each for a moment; without "
          "--forecast"};
    }
    if (arguments.forecast && (arguments.output || arguments.trace || !arguments.verify)) {
      throw usage_error{
          "--forecast measures times alone: it takes no --output, --trace or --no-verify"};
    }
    run_preparation ready;
    ready.others = listed_engines(arguments.engines);
    check_engines(arguments, ready.others);
    auto options = arguments.options;
    options.where = workloads::placement_named(arguments.placement);
    if (arguments.output) require_output(arguments);
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
      throw usage_error{fmt::format("workload {} has no result to write: it takes no --output",
                                    arguments.workload)};
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
    // EvenCube comes last: the result that is written is its own.
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
  std::vector<engine_report> others;
  for (std::size_t i = 0; i < ready.others.size(); ++i) {
    others.push_back(engine_report_of(ready.others[i], std::move(by_others[i])));
  }
  return {std::string{work.name()},
          arguments.engine.balancer,
          arguments.engine.transmission,
          arguments.placement,
          workers,
          ready.options.mode,
          ready.options.pulls,
          median_time(std::move(serial)),
          median_sample(std::move(samples)),
          std::move(others)};
}

void run_and_print(const run_arguments& arguments) {
  auto ready = prepare(arguments);
  if (arguments.forecast) {
    ready.workers.reset();  // one runtime at a time
    const auto table = with_memory_for(input_of(arguments.workload, arguments.options), [&] {
      return forecast_and_measure(*ready.work, ready.options, arguments.repeat);
    });
    arguments.as_json ? print_json(to_json(arguments.workload, table)) : print(to_text(table));
    return;
  }
  const auto report = with_memory_for(input_of(arguments.workload, arguments.options),
                                      [&] { return measure(arguments, ready); });
  if (report.good() && arguments.output) {
    ready.work->write_output(*arguments.output);
  }
  if (arguments.trace) {
    const auto recorded = trace_of(report.measured.take, *ready.workers, arguments.workload,
                                   ready.options, calibrate());
    workloads::replace_file(*arguments.trace, [&](const workloads::byte_sink& to) {
      arguments.trace->ends_with(".gz") ? traces::write_packed_trace(recorded, to)
                                        : traces::write_trace(recorded, to);
    });
  }
  if (arguments.as_json) {
    print_json(to_json(report));
  } else {
    print(fmt::format("{}\n{}", ready.workers->reason(), to_text(report)));
    if (report.good() && arguments.output) {
      print(fmt::format("wrote {}\n", *arguments.output));
    }
    if (arguments.trace) {
      print(fmt::format("wrote {}{}\n", *arguments.trace,
                        report.measured.take.cut ? ", cut: its memory was used up" : ""));
    }
  }
  if (!report.good()) {
    throw std::runtime_error{fmt::format("the result is wrong{}: {}",
                                         arguments.output ? ", nothing was written" : "",
                                         report.detail())};
  }
  tell_left_out(arguments, *ready.work);
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto arguments = std::make_shared<run_arguments>();
  auto* command = app.add_subcommand(
      "run", "Run a workload on the workers and compare it with its serial twin");
  add_workload_name(*command, arguments->workload);
  add_runtime_options(*command, arguments->engine);
  add_engine_option(*command, arguments->engines);
  add_placement_option(*command, arguments->placement);
  add_workload_options(*command, arguments->options);
  command->add_option("--output", arguments->output, output_help());
  command->add_option("--trace", arguments->trace,
                      "Record the run (of several, the one of median time) for evencube whatif and "
                      "compare; packed if the name ends in .gz");
  command->add_flag(
      "--live", arguments->live,
      "Show on standard error what the workers do while they do it: load, busy share, tasks per "
      "second, moves over each dimension");
  add_whole_number(*command, "--live-ms", arguments->live_ms, {10, 3'600'000},
                   "With --live: milliseconds from one picture to the next (default 500)");
  add_whole_number(*command, "--repeat", arguments->repeat, {1, 1000},
                   "Runs; the median is reported");
  command->add_flag("--forecast", arguments->forecast,
                    "Measure every strategy beside a forecast from one recorded run");
  command->add_flag("--verify,!--no-verify", arguments->verify,
                    "Check the result (on unless --no-verify)");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "A file is replaced when all of it is written; other hard links to it keep the old content.\n"
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
      "  evencube run edges --size 4096 --workers 2 --trace edges.trace");
  command->callback([arguments] { run_and_print(*arguments); });
}

}  // namespace evencube::cli
