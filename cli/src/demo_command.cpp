#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <evencube/evencube.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "busy_machine.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "measurement.hpp"
#include "number_text.hpp"
#include "options.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

/// One way of balancing.
struct contender {
  const char* balancer;
  /// The name in the table. Without one, the contender runs only for --json.
  const char* shown = "";
  const char* transmission = "direct";
  /// true: a thread of its own plans for long queues, and pulls are off, so that rounds make every
  /// move.
  bool by_thread = false;
};
constexpr std::array<contender, 8> contenders = {
    {{.balancer = "none", .shown = "no balancing"},
     {.balancer = "random_stealing", .shown = "random stealing"},
     {.balancer = "dem"},
     {.balancer = "oem", .shown = "planned, the default"},
     {.balancer = "dem", .by_thread = true},
     {.balancer = "oem", .shown = "planned by a thread", .by_thread = true},
     {.balancer = "diffusion", .by_thread = true},
     {.balancer = "oem", .transmission = "pipelined", .by_thread = true}}};
/// For the planning thread: the number of quanta in a queue that calls it, and how often it checks
/// the queues without a call.
constexpr std::int64_t usual_trigger = 32;
constexpr std::int64_t usual_period_us = 1000;
/// The contender with the default balancer and the default options of a runtime.
constexpr std::size_t usual_contender = 3;
constexpr auto where = workloads::placement::one;

struct demo_arguments {
  std::string workers = "auto";
  std::int64_t size = 4096;
  unsigned repeat = 3;
  /// Only its planning options count; each contender has its own value for those that are not
  /// given.
  runtime_arguments planning = [] {
    runtime_arguments unsaid;
    unsaid.mode = "";
    unsaid.pulls = "";
    return unsaid;
  }();
  std::string engines = own_engine;
  std::filesystem::path folder = "output";
  bool as_json = false;
};

struct demonstration {
  std::optional<workloads::results_folder> folder;
  std::vector<std::size_t> chosen;  // of the contenders, those that run
  std::vector<run_report> reports;
  std::vector<std::string> engines;   // names of engines other than EvenCube
  std::vector<engine_sample> others;  // the results of those engines
  std::string reason;
  std::unique_ptr<workloads::workload> work;
  std::filesystem::path output;
};

runtime_options options_for(const demo_arguments& arguments, const contender& which) {
  runtime_arguments engine = arguments.planning;
  engine.workers = arguments.workers;
  engine.balancer = which.balancer;
  engine.transmission = which.transmission;
  if (engine.mode.empty()) engine.mode = which.by_thread ? "thread" : "auto";
  if (engine.pulls.empty()) engine.pulls = which.by_thread ? "off" : "on";
  // `--pulls` applies to all contenders, but random stealing moves tasks only by pulls.
  if (std::string_view{which.balancer} == "random_stealing") engine.pulls = "on";
  if (engine.mode != "thread") {
    engine.period_us.reset();
  } else if (which.by_thread) {
    if (!engine.trigger) engine.trigger = usual_trigger;
    if (!engine.period_us) engine.period_us = usual_period_us;
  }
  return make_runtime_options(engine);
}

/// Checks the planning options before anything runs. --period needs a planning thread, which reads
/// the clock.
void check_planning(const demo_arguments& arguments) {
  for (const contender& which : contenders) static_cast<void>(options_for(arguments, which));
  if (arguments.planning.period_us && !arguments.planning.mode.empty() &&
      arguments.planning.mode != "thread") {
    throw usage_error{fmt::format(
        "--period {}: applies only to the balancer's thread; use --mode thread, or omit --period",
        *arguments.planning.period_us)};
  }
}

/// All contenders with --json. Otherwise those of the table, which has at most six rows: a second
/// engine takes the place of the planning thread.
std::vector<std::size_t> chosen_contenders(const demo_arguments& arguments, std::size_t engines) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const bool in_table = *contenders[i].shown != '\0' && !(contenders[i].by_thread && engines > 1);
    if (arguments.as_json || in_table) chosen.push_back(i);
  }
  return chosen;
}

demonstration prepare(const demo_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    demonstration demo;
    static_cast<void>(workers_argument(arguments.workers));
    check_planning(arguments);
    demo.engines = listed_engines(arguments.engines);
    demo.chosen = chosen_contenders(arguments, demo.engines.size());
    check_environment();
    demo.folder.emplace(arguments.folder, true);
    demo.output = arguments.folder / "city-edges.png";
    workloads::require_writable(demo.output);
    workloads::workload_options options;
    options.where = where;
    options.values.emplace("size", arguments.size);
    demo.work = with_memory_for(fmt::format("--size {}", arguments.size),
                                [&] { return workloads::make_workload("edges", options); });
    return demo;
  });
}

/// The balancers take turns, so that a slow moment of the machine does not fall on one of them
/// alone.
void measure(const demo_arguments& arguments, demonstration& demo) {
  progress_bar progress{!arguments.as_json && stderr_is_terminal()};
  std::vector<double> serial;
  std::vector<std::vector<sample>> samples(demo.chosen.size());
  std::vector<std::vector<engine_sample>> by_others(demo.engines.size());
  const auto workers = static_cast<unsigned>(
      start_runtime(options_for(arguments, contenders[usual_contender]))->workers());
  for (unsigned repetition = 0; repetition < arguments.repeat; ++repetition) {
    progress.show(fmt::format("serial twin {}/{}", repetition + 1, arguments.repeat));
    serial.push_back(time_serial(*demo.work));
    // EvenCube runs last, so that the picture that is written is its own.
    for (std::size_t i = 0; i < demo.engines.size(); ++i) {
      progress.show(fmt::format("{} {}/{}", demo.engines[i], repetition + 1, arguments.repeat));
      by_others[i].push_back(run_by_another(*demo.work, demo.engines[i], workers, true));
    }
    for (std::size_t index = 0; index < demo.chosen.size(); ++index) {
      const contender& which = contenders[demo.chosen[index]];
      progress.show(fmt::format("{} {}/{}", which.balancer, repetition + 1, arguments.repeat));
      const auto options = options_for(arguments, which);
      const auto engine = start_runtime(options);
      samples[index].push_back(run_once(*demo.work, *engine, true));
      blame(samples[index].back().check, options.balancer);
      demo.reason = engine->reason();
    }
  }
  const double serial_seconds = median_time(std::move(serial));
  for (std::size_t index = 0; index < demo.chosen.size(); ++index) {
    demo.reports.push_back({std::string{demo.work->name()},
                            options_for(arguments, contenders[demo.chosen[index]]),
                            std::string{workloads::name_of(where)}, workers, serial_seconds,
                            median_sample(std::move(samples[index]))});
  }
  for (auto& samples_of : by_others) demo.others.push_back(median_sample(std::move(samples_of)));
}

/// The first check that failed or was not done.
const checked& check_of(const demonstration& demo) {
  for (const run_report& report : demo.reports) {
    if (!not_failed(report.measured.check)) return report.measured.check;
  }
  for (const engine_sample& other : demo.others) {
    if (!not_failed(other.check)) return other.check;
  }
  return demo.reports.front().measured.check;
}

const run_report& usual_report(const demonstration& demo) {
  const auto found = std::ranges::find(demo.chosen, usual_contender);
  return demo.reports[static_cast<std::size_t>(found - demo.chosen.begin())];
}

std::string executed_text(const run_report& report) {
  constexpr std::size_t most = 8;
  const auto& workers = report.measured.counters.workers;
  std::string text;
  for (std::size_t i = 0; i < workers.size() && i < most; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " ", workers[i].executed);
  }
  return workers.size() > most ? text + " ..." : text;
}

/// One sentence: what planning gained. All results have been checked.
std::string verdict(const demonstration& demo) {
  const run_report& planned = usual_report(demo);
  std::string text =
      fmt::format("Planning was {:.2f} times as fast as one thread", planned.speedup());
  for (std::size_t i = 0; i < demo.chosen.size(); ++i) {
    if (std::string_view{contenders[demo.chosen[i]].balancer} != "random_stealing") continue;
    text += fmt::format(" and {:.2f} times as fast as random stealing",
                        demo.reports[i].measured.seconds / planned.measured.seconds);
  }
  return text + "; every run found the same edges as the serial program.\n";
}

std::string to_text(const demo_arguments& arguments, const demonstration& demo) {
  text_table table{{"<way", "time", "speed-up", "tasks moved", "tasks of each worker"}};
  const auto& first = demo.reports.front();
  table.add_row("one thread, no runtime", duration_text(first.serial_seconds), "1.00", "", "");
  for (std::size_t i = 0; i < demo.reports.size(); ++i) {
    const run_report& report = demo.reports[i];
    table.add_row(contenders[demo.chosen[i]].shown, duration_text(report.measured.seconds),
                  fmt::format("{:.2f}", report.speedup()), report.measured.counters.tasks_moved,
                  executed_text(report));
  }
  for (const engine_sample& other : demo.others) {
    table.add_row(other.engine, duration_text(other.seconds),
                  fmt::format("{:.2f}", first.serial_seconds / other.seconds), "", "");
  }
  return fmt::format(
      "Edges and lines of a generated city, {0} x {0} pixels: {1} tasks, all queued on worker 0 at "
      "first.\n{2}\n{3}\n\n{4}\n",
      arguments.size, first.measured.tasks, demo.reason,
      arguments.repeat == 1 ? "One run of each row."
                            : fmt::format("Medians of {}.", arguments.repeat),
      table.to_string());
}

json to_json(const demo_arguments& arguments, const demonstration& demo) {
  json runs = json::array();
  for (const auto& report : demo.reports) runs.push_back(to_json(report));
  json object = {
      {"size", arguments.size}, {"output", demo.output.string()}, {"runs", std::move(runs)}};
  if (!demo.others.empty()) {
    // Compares with EvenCube's default: oem, planned by workers that ran dry.
    const run_report& own = usual_report(demo);
    object["others"] = to_json(demo.others, own.serial_seconds, own.measured.seconds);
  }
  return object;
}

void demonstrate(const demo_arguments& arguments) {
  auto demo = prepare(arguments);
  const machine_watch machine;
  with_memory_for(fmt::format("--size {}", arguments.size), [&] { measure(arguments, demo); });
  const checked& check = check_of(demo);
  if (!not_failed(check)) print(to_text(arguments, demo));
  require_good(check, true);
  demo.work->write_output(demo.output);
  if (arguments.as_json) {
    print_json(to_json(arguments, demo));
  } else {
    print(to_text(arguments, demo) + verdict(demo) + machine.warning() +
          fmt::format("The picture is in {}\n", demo.output.string()));
  }
}

}  // namespace

void add_demo_command(CLI::App& app) {
  auto arguments = std::make_shared<demo_arguments>();
  auto* command = app.add_subcommand("demo",
                                     "Find the edges of a generated city under several strategies, "
                                     "starting with all tasks on one worker");
  add_workers_option(*command, arguments->workers);
  add_whole_number(*command, "--size", arguments->size, {}, "Side of the picture in pixels");
  add_whole_number(*command, "--repeat", arguments->repeat, {1, 1000},
                   "Number of runs of each strategy; medians are reported");
  add_planning_options(*command, arguments->planning);
  add_engine_option(*command, arguments->engines);
  command->add_option("--folder", arguments->folder, "Folder for the picture")
      ->capture_default_str();
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Example:\n"
      "  evencube demo --size 8192 --repeat 5");
  command->callback([arguments] { demonstrate(*arguments); });
}

}  // namespace evencube::cli
