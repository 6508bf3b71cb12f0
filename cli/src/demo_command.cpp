#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>

#include <evencube/evencube.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

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
  const char* transmission = "direct";
  /// true: a thread of its own plans for long queues, and pulls are off, so that rounds make every
  /// move.
  bool by_thread = false;
};
constexpr std::array<contender, 8> contenders = {{{"none"},
                                                  {"random_stealing"},
                                                  {"dem"},
                                                  {"oem"},
                                                  {"dem", "direct", true},
                                                  {"oem", "direct", true},
                                                  {"diffusion", "direct", true},
                                                  {"oem", "pipelined", true}}};
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
    throw usage_error{
        fmt::format("--period {}: only the balancer's thread looks at the clock; with --mode "
                    "thread, or none",
                    *arguments.planning.period_us)};
  }
}

demonstration prepare(const demo_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    demonstration demo;
    static_cast<void>(workers_argument(arguments.workers));
    check_planning(arguments);
    demo.engines = listed_engines(arguments.engines);
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
  std::array<std::vector<sample>, contenders.size()> samples;
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
    for (std::size_t index = 0; index < contenders.size(); ++index) {
      progress.show(
          fmt::format("{} {}/{}", contenders[index].balancer, repetition + 1, arguments.repeat));
      const auto options = options_for(arguments, contenders[index]);
      const auto engine = start_runtime(options);
      samples[index].push_back(run_once(*demo.work, *engine, true));
      blame(samples[index].back().check, options.balancer);
      demo.reason = engine->reason();
    }
  }
  const double serial_seconds = median_time(std::move(serial));
  for (std::size_t index = 0; index < contenders.size(); ++index) {
    demo.reports.push_back({std::string{demo.work->name()},
                            options_for(arguments, contenders[index]),
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

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

std::string rounds_table(const demonstration& demo) {
  text_table table{{"<balancer", "<transmission", "<mode", "<pulls", "rounds", "by rounds",
                    "by pulls", "by rescues", "before", "after", "balancing",
                    "thread's processor time"}};
  for (const auto& report : demo.reports) {
    const auto& counters = report.measured.counters;
    const bool any = counters.rounds != 0;
    table.add_row(
        report.options.balancer, report.options.transmission, name_of(report.options.mode),
        report.options.pulls ? "on" : "off", counters.rounds, sum(counters.moved_by_rounds),
        sum(counters.moved_by_pulls), sum(counters.moved_by_rescues),
        any ? fmt::format("{:.2f}", counters.imbalance_before) : "",
        any ? fmt::format("{:.2f}", counters.imbalance_after) : "",
        duration_text(counters.balancing_seconds),
        has_balancer_thread(report.options.mode) ? duration_text(counters.balancer_thread_seconds)
                                                 : "");
  }
  return table.to_string();
}

std::string to_text(const demo_arguments& arguments, const demonstration& demo) {
  text_table table{{"<balancer", "time", "speed-up", "efficiency", "tasks moved", "rounds",
                    "tasks per worker", "result"}};
  const auto& first = demo.reports.front();
  table.add_row("serial twin", duration_text(first.serial_seconds), "1.00", "", "", "", "", "");
  for (const auto& report : demo.reports) {
    const auto& counters = report.measured.counters;
    std::string executed;
    for (std::size_t worker = 0; worker < counters.workers.size() && worker < 8; ++worker) {
      executed += fmt::format("{}{}", worker == 0 ? "" : " ", counters.workers[worker].executed);
    }
    table.add_row(report.options.balancer, duration_text(report.measured.seconds),
                  fmt::format("{:.2f}", report.speedup()),
                  fmt::format("{:.2f}", report.efficiency()), counters.tasks_moved, counters.rounds,
                  counters.workers.size() > 8 ? executed + " ..." : executed,
                  verdict_on(report.measured.check));
  }
  for (const engine_sample& other : demo.others) {
    const double speedup = first.serial_seconds / other.seconds;
    table.add_row(other.engine, duration_text(other.seconds), fmt::format("{:.2f}", speedup),
                  fmt::format("{:.2f}", speedup / first.workers), "", "", "",
                  verdict_on(other.check));
  }
  return fmt::format(
      "Edges and lines of a made-up city, {0} x {0} pixels: {1} tasks, all on worker 0 at first.\n"
      "{2}\nMedian of {3}.\n\n{4}{6}\n"
      "The planner, what moved the tasks, and the largest load over the mean when rounds began and "
      "ended:\n\n{5}\n",
      arguments.size, first.measured.tasks, demo.reason, arguments.repeat, table.to_string(),
      rounds_table(demo),
      demo.others.empty()
          ? ""
          : "The last rows are the same tasks by other engines, without hints where "
            "they begin, on threads\nbound to no unit.\n");
}

json to_json(const demo_arguments& arguments, const demonstration& demo) {
  json runs = json::array();
  for (const auto& report : demo.reports) runs.push_back(to_json(report));
  json object = {
      {"size", arguments.size}, {"output", demo.output.string()}, {"runs", std::move(runs)}};
  if (!demo.others.empty()) {
    // Compares with EvenCube's default: oem, planned by workers that ran dry.
    const run_report& own = demo.reports[usual_contender];
    object["others"] = to_json(demo.others, own.serial_seconds, own.measured.seconds);
  }
  return object;
}

void demonstrate(const demo_arguments& arguments) {
  auto demo = prepare(arguments);
  with_memory_for(fmt::format("--size {}", arguments.size), [&] { measure(arguments, demo); });
  const checked& check = check_of(demo);
  if (!not_failed(check)) print(to_text(arguments, demo));
  require_good(check, true);
  demo.work->write_output(demo.output);
  if (arguments.as_json) {
    print_json(to_json(arguments, demo));
  } else {
    print(to_text(arguments, demo));
    print(fmt::format("The picture is in {}\n", demo.output.string()));
  }
}

}  // namespace

void add_demo_command(CLI::App& app) {
  auto arguments = std::make_shared<demo_arguments>();
  auto* command = app.add_subcommand(
      "demo",
      "Find the edges of a made-up city with all tasks on one worker at first: without "
      "balancing, by stealing at random, and planned, by workers that ran dry and by a thread");
  add_workers_option(*command, arguments->workers);
  add_whole_number(*command, "--size", arguments->size, {}, "Side of the picture in pixels");
  add_whole_number(*command, "--repeat", arguments->repeat, {1, 1000},
                   "Runs of each; the median is reported");
  add_planning_options(*command, arguments->planning);
  add_engine_option(*command, arguments->engines);
  command->add_option("--folder", arguments->folder, "Where the picture is written")
      ->capture_default_str();
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Example:\n"
      "  evencube demo --size 8192 --repeat 5");
  command->callback([arguments] { demonstrate(*arguments); });
}

}  // namespace evencube::cli
