#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <memory>

#include <evencube/evencube.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "measurement.hpp"
#include "number_options.hpp"
#include "number_text.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

constexpr std::array<const char*, 4> balancers = {"none", "random_stealing", "dem", "oem"};
constexpr auto where = workloads::placement::one;

struct demo_arguments {
  std::string workers = "auto";
  std::int64_t size = 4096;
  unsigned repeat = 3;
  std::filesystem::path folder = "output";
  bool as_json = false;
};

struct demonstration {
  std::vector<run_report> reports;
  std::string reason;
  std::unique_ptr<workloads::workload> work;
  std::filesystem::path output;
};

runtime_options options_for(const demo_arguments& arguments, const char* balancer) {
  runtime_arguments engine;
  engine.workers = arguments.workers;
  engine.balancer = balancer;
  return make_runtime_options(engine);
}

demonstration prepare(const demo_arguments& arguments) {
  demonstration demo;
  try {
    static_cast<void>(workers_argument(arguments.workers));
    check_environment();
    std::error_code problem;
    std::filesystem::create_directories(arguments.folder, problem);
    if (problem) {
      throw usage_error{fmt::format("{}: cannot make the folder: {}", arguments.folder.string(),
                                    problem.message())};
    }
    demo.output = arguments.folder / "city-edges.png";
    workloads::require_writable(demo.output);
    workloads::workload_options options;
    options.where = where;
    options.size = arguments.size;
    demo.work = with_memory_for(fmt::format("--size {}", arguments.size),
                                [&] { return workloads::make_workload("edges", options); });
  } catch (const std::invalid_argument& problem) {
    throw usage_error{problem.what()};
  } catch (const workloads::output_error& problem) {
    throw usage_error{problem.what()};
  }
  return demo;
}

/// The balancers take turns, so that a slow moment of the machine does not fall on one of them
/// alone.
void measure(const demo_arguments& arguments, demonstration& demo) {
  progress_bar progress{!arguments.as_json && stderr_is_terminal()};
  std::vector<double> serial;
  std::array<std::vector<sample>, balancers.size()> samples;
  unsigned workers = 0;
  std::string transmission;
  for (unsigned repetition = 0; repetition < arguments.repeat; ++repetition) {
    progress.show(fmt::format("serial twin {}/{}", repetition + 1, arguments.repeat));
    serial.push_back(time_serial(*demo.work));
    for (std::size_t index = 0; index < balancers.size(); ++index) {
      progress.show(fmt::format("{} {}/{}", balancers[index], repetition + 1, arguments.repeat));
      const auto options = options_for(arguments, balancers[index]);
      const auto engine = start_runtime(options);
      samples[index].push_back(run_once(*demo.work, *engine, true));
      workers = static_cast<unsigned>(engine->workers());
      demo.reason = engine->reason();
      transmission = options.transmission;
    }
  }
  const double serial_seconds = median_time(std::move(serial));
  for (std::size_t index = 0; index < balancers.size(); ++index) {
    demo.reports.push_back({std::string{demo.work->name()}, balancers[index], transmission,
                            std::string{workloads::name_of(where)}, workers, serial_seconds,
                            median_sample(std::move(samples[index]))});
  }
}

std::string to_text(const demo_arguments& arguments, const demonstration& demo) {
  text_table table{{{"balancer", text_table::alignment::left},
                    {"time"},
                    {"speed-up"},
                    {"efficiency"},
                    {"tasks moved"},
                    {"rounds"},
                    {"tasks per worker"},
                    {"result"}}};
  const auto& first = demo.reports.front();
  table.add_row({"serial twin", duration_text(first.serial_seconds), "1.00", "", "", "", "", ""});
  for (const auto& report : demo.reports) {
    const auto& counters = report.measured.counters;
    std::string executed;
    for (std::size_t worker = 0; worker < counters.workers.size() && worker < 8; ++worker) {
      executed += fmt::format("{}{}", worker == 0 ? "" : " ", counters.workers[worker].executed);
    }
    table.add_row({report.balancer, duration_text(report.measured.seconds),
                   fmt::format("{:.2f}", report.speedup()),
                   fmt::format("{:.2f}", report.efficiency()), std::to_string(counters.tasks_moved),
                   std::to_string(counters.rounds),
                   counters.workers.size() > 8 ? executed + " ..." : executed,
                   report.good() ? "verified" : "WRONG"});
  }
  return fmt::format(
      "Edges and lines of a made-up city, {0} x {0} pixels: {1} tasks, all on worker 0 at first.\n"
      "{2}\nMedian of {3}.\n\n{4}\n",
      arguments.size, first.measured.tasks, demo.reason, arguments.repeat, table.to_string());
}

json to_json(const demo_arguments& arguments, const demonstration& demo) {
  json runs = json::array();
  for (const auto& report : demo.reports) {
    runs.push_back(to_json(report));
  }
  return {{"size", arguments.size}, {"output", demo.output.string()}, {"runs", std::move(runs)}};
}

void demonstrate(const demo_arguments& arguments) {
  auto demo = prepare(arguments);
  with_memory_for(fmt::format("--size {}", arguments.size), [&] { measure(arguments, demo); });
  for (const auto& report : demo.reports) {
    if (!report.good()) {
      print(to_text(arguments, demo));
      throw std::runtime_error{fmt::format("the result with {} is wrong, nothing was written: {}",
                                           report.balancer, report.measured.check->detail)};
    }
  }
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
      "balancing, by stealing at random, and planned");
  add_workers_option(*command, arguments->workers);
  add_whole_number(*command, "--size", arguments->size, {}, "Side of the picture in pixels");
  add_whole_number(*command, "--repeat", arguments->repeat, {1, 1000},
                   "Runs of each; the median is reported");
  command->add_option("--folder", arguments->folder, "Where the picture is written")
      ->capture_default_str();
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Example:\n"
      "  evencube demo --size 8192 --repeat 5");
  command->callback([arguments] { demonstrate(*arguments); });
}

}  // namespace evencube::cli
