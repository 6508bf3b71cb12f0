#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "busy_machine.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "comparison_explained.hpp"
#include "comparison_report.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "nearest_word.hpp"
#include "options.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "runtime_arguments.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

/// All strategies except the balancers that only serve to find mistakes.
std::vector<std::string> usual_strategies() {
  std::vector<std::string> names{"random_stealing"};
  for (const balancer_descriptor& known : registered_balancers()) {
    if (known.name != "rotate" && known.name != "random") names.push_back(known.name);
  }
  return names;
}

struct compare_arguments {
  std::vector<std::string> subjects;  ///< one workload, or traces
  std::vector<std::string> balancers = usual_strategies();
  std::vector<std::string> placements{"spread", "one", "skewed", "random"};
  std::vector<std::string> machines{"equal"};
  std::string workers;
  std::string engines = own_engine;
  runtime_arguments planning;
  workloads::workload_options options;
  std::optional<unsigned> repeat;
  std::optional<unsigned> draws;
  std::optional<bool> verify;
  bool explain = false;
  std::optional<std::string> plot;
  bool as_json = false;

  [[nodiscard]] const std::string& workload() const { return subjects.front(); }
};

bool is_workload(const std::string& name) {
  return std::ranges::any_of(workloads::registered_workloads(),
                             [&](const auto& entry) { return entry.name == name; });
}

bool is_trace(const std::string& name) {
  std::error_code unknown;  // for example of a link to a missing file
  return name.ends_with(".trace") || name.ends_with(".trace.gz") ||
         (!is_workload(name) && std::filesystem::exists(name, unknown));
}

bool of_traces(const compare_arguments& arguments) { return is_trace(arguments.subjects.front()); }

void check_subjects(const compare_arguments& arguments) {
  for (const std::string& one : arguments.subjects) {
    if (is_trace(one) == of_traces(arguments)) continue;
    throw usage_error{fmt::format("{}: give either one workload or traces", one)};
  }
  if (!of_traces(arguments)) {
    const std::vector<std::string>& given = arguments.subjects;
    const auto unknown = std::ranges::find_if_not(given, is_workload);
    if (unknown != given.end()) {
      throw usage_error{unknown_word("workload", *unknown, names_of_workloads())};
    }
    if (given.size() == 1) return;
    throw usage_error{fmt::format("{}: compare takes one workload at a time", given[1])};
  }
  if (!arguments.options.values.empty()) {
    throw usage_error{fmt::format("--{}: has no effect on a trace, which is replayed as recorded",
                                  arguments.options.values.begin()->first)};
  }
  if (arguments.repeat) {
    throw usage_error{fmt::format(
        "--repeat {}: every replay of a trace is the same; use --draws N for medians of N replays",
        *arguments.repeat)};
  }
  if (arguments.verify) {
    throw usage_error{fmt::format("--{}verify: a replay of a trace has no results to check",
                                  *arguments.verify ? "" : "no-")};
  }
}

/// --explain explains one run, so it refuses several draws.
void check_draws(const compare_arguments& arguments) {
  if (!arguments.explain || arguments.draws.value_or(1) == 1) return;
  throw usage_error{
      fmt::format("--draws {}: --explain explains a single replay, so it allows only --draws 1",
                  *arguments.draws)};
}

void check_plot(const compare_arguments& arguments) {
  if (!arguments.plot) return;
  check_plot_file(*arguments.plot, arguments.options);
  if (!of_traces(arguments)) return;
  for (const std::string& trace : arguments.subjects) {
    if (!workloads::same_file(*arguments.plot, trace)) continue;
    throw usage_error{
        fmt::format("--plot {}: this is the trace {} itself", *arguments.plot, trace)};
  }
}

void require_each_once(std::string_view option, std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    throw usage_error{fmt::format("{} {}: is given twice", option, *twice)};
  }
}

/// Finds every fault of the user's input, before any work is done.
comparison_plan prepare(const compare_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    check_subjects(arguments);
    require_lasting_input(arguments.options);
    check_draws(arguments);
    check_plot(arguments);
    check_environment();
    require_each_once("the trace", arguments.subjects);
    require_each_once("--balancer", arguments.balancers);
    require_each_once("--placement", arguments.placements);
    require_each_once("--machine", arguments.machines);
    comparison_plan plan;
    plan.repeat = arguments.repeat.value_or(plan.repeat);
    plan.draws = arguments.draws.value_or(plan.draws);
    plan.verify = arguments.verify.value_or(plan.verify);
    plan.engines = listed_engines(arguments.engines);
    if (!plan.engines.empty() && of_traces(arguments)) {
      throw usage_error{fmt::format(
          "--engine {}: traces are replayed under EvenCube's strategies only", arguments.engines)};
    }
    for (const std::string& name : arguments.balancers) {
      runtime_arguments engine = arguments.planning;
      engine.balancer = name;
      // Without pulls, nothing would move under random stealing.
      if (name == "random_stealing") engine.pulls = "on";
      plan.strategies.push_back(make_runtime_options(engine));
      // Starting a runtime checks the names.
      static_cast<void>(start_runtime(plan.strategies.back()));
    }
    plan.cores = static_cast<unsigned>(start_runtime({})->workers());
    plan.workers = !arguments.workers.empty() ? listed_worker_counts(arguments.workers)
                   : of_traces(arguments)     ? std::vector<unsigned>{2, 4, 8, 16, 32, 64}
                                              : usual_worker_counts(plan.cores);
    for (const std::string& name : arguments.placements) {
      plan.placements.push_back(workloads::placement_named(name));
    }
    for (const std::string& name : arguments.machines) {
      plan.machines.push_back(&machine_named(name));
    }
    if (arguments.draws && !of_traces(arguments) && !plan.needs_forecasts()) {
      throw usage_error{
          fmt::format("--draws {}: applies only to forecasts, but here everything is measured; use "
                      "it with --workers above {}, a --machine other than equal, or a trace",
                      *arguments.draws, plan.cores)};
    }
    return plan;
  });
}

/// Reads recordings. Two recordings of one workload are distinguished by their files.
std::vector<recorded_program> read_programs(const std::vector<std::string>& files) {
  std::vector<recorded_program> programs;
  for (const std::string& file : files) {
    recorded_program one = with_memory_for(file, [&] { return read_program(file); });
    if (std::ranges::find(programs, one.name, &recorded_program::name) != programs.end()) {
      one.name += fmt::format(" ({})", file);
    }
    programs.push_back(std::move(one));
  }
  return programs;
}

/// Records the workload with the default balancer and placement, on all cores of this machine.
recorded_program record(const compare_arguments& arguments, const comparison_plan& plan,
                        const workload_maker& make, progress_bar& progress) {
  progress.show("recording for forecasts");
  runtime_arguments engine = arguments.planning;
  engine.pulls = "on";
  runtime_options options = make_runtime_options(engine);
  options.workers = plan.cores;
  const auto work = make(plan.placements.front());
  work->run_serial();  // some workloads make their input here
  return record_program(*work, options, plan.repeat);
}

struct compared {
  comparison made;
  std::vector<recorded_program> programs;
};

compared measure(const compare_arguments& arguments, const comparison_plan& plan) {
  progress_bar progress{!arguments.as_json && stderr_is_terminal()};
  compared result;
  if (of_traces(arguments)) {
    result.programs = read_programs(arguments.subjects);
  } else {
    const workload_maker make = [&](workloads::placement where) {
      return refusals_as_usage_errors([&] {
        auto options = arguments.options;
        options.where = where;
        auto work = workloads::make_workload(arguments.workload(), options);
        if (where == plan.placements.front() && result.made.cells.empty()) {
          for (const auto& why : work->left_out()) complain(why);
        }
        return work;
      });
    };
    with_memory_for(input_of(arguments.workload(), arguments.options), [&] {
      measure_cells(make, plan, progress, result.made);
      if (plan.needs_forecasts() || arguments.explain) {
        result.programs.push_back(record(arguments, plan, make, progress));
      }
    });
  }
  for (const recorded_program& one : result.programs) {
    with_memory_for(one.name, [&] { forecast_cells(one, plan, progress, result.made); });
  }
  finish(plan, result.made);
  return result;
}

void run_and_print(const compare_arguments& arguments) {
  const comparison_plan plan = prepare(arguments);
  const machine_watch machine;
  const auto [made, programs] = measure(arguments, plan);
  std::vector<explanation> explanations;
  if (made.good() && arguments.explain) explanations = explain_exceptions(made, plan, programs);
  if (made.good() && arguments.plot) {
    workloads::replace_file(*arguments.plot, workloads::bytes_of(heat_map_svg(made)));
  }
  if (arguments.as_json) {
    json object = to_json(made);
    if (arguments.explain) {
      object["explanations"] = json::array();
      for (const explanation& one : explanations) {
        object["explanations"].push_back(to_json(one, made));
      }
    }
    print_json(object);
  } else {
    print(to_text(made) + (of_traces(arguments) ? "" : machine.warning()));
    for (const explanation& one : explanations) print(to_text(one, made));
    if (arguments.explain && made.good() && explanations.empty()) {
      print(
          "Nothing to explain: in all ranked cells the default strategy is within 1 % of the "
          "best.\n");
    }
    if (made.good() && arguments.plot) print(fmt::format("wrote {}\n", *arguments.plot));
  }
  require_good(made.check, arguments.plot.has_value());
}

std::string machines_help() {
  std::string text = "Machines for forecasts:";
  for (const forecast_machine& one : forecast_machines()) {
    text += fmt::format("{} {} ({})", one.is_usual() ? "" : ",", one.name, one.summary);
  }
  return text + "; runs are measured only for the first machine";
}

void add_what_runs(CLI::App& command, compare_arguments& arguments) {
  const heading here{command, headings::what_runs};
  offer_workloads(
      command
          .add_option("WORKLOAD|TRACE", arguments.subjects,
                      "A workload of `evencube run`, or traces written by `evencube run --trace`")
          ->required());
  offer(command
            .add_option("--placement", arguments.placements,
                        "The workers on which tasks begin: spread (task i on worker i mod P), one "
                        "(all on worker 0), skewed (half on worker 0, a quarter on 1, ...), random "
                        "(drawn at random, but the same in every run)")
            ->delimiter(',')
            ->capture_default_str(),
        arguments.placements);
  add_engine_option(command, arguments.engines);
  add_whole_number(command, "--repeat", arguments.repeat, {1, 1000},
                   "With a workload: the number of measurement rounds (default 5). If there are "
                   "several, a warm-up round runs first");
  add_whole_number(command, "--draws", arguments.draws, {1, 1000},
                   "The number of replays whose median is the forecast. In each replay, every task "
                   "takes up to a tenth less or more than its recorded time. With 1, the default, "
                   "tasks take their recorded times");
  // A function takes the flag, because it matters whether the flag was given.
  command.add_flag_function(
      "--verify,!--no-verify",
      [verify = &arguments.verify](std::int64_t given) { *verify = given > 0; },
      "With a workload: check every result (the default)");
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto arguments = std::make_shared<compare_arguments>();
  std::vector<std::string> machines;
  for (const forecast_machine& one : forecast_machines()) machines.emplace_back(one.name);
  auto* command = app.add_subcommand(
      "compare",
      "Compare strategies on a workload or on recorded runs: show the fastest strategy, and how "
      "much slower the others are, for each task placement and number of workers");
  add_what_runs(*command, *arguments);
  {
    const heading here{*command, headings::strategy};
    offer_balancers(command
                        ->add_option("--balancer", arguments->balancers,
                                     "Strategies: names of evencube balancers, or random_stealing "
                                     "(default: random_stealing and all balancers except rotate "
                                     "and random, which exist only to find bugs)")
                        ->delimiter(','));
  }
  add_planning_options(*command, arguments->planning);
  {
    const heading here{*command, headings::machine};
    offer(command->add_option("--machine", arguments->machines, machines_help())
              ->delimiter(',')
              ->capture_default_str(),
          machines);
    command->add_option("--workers", arguments->workers,
                        "Numbers of workers, such as 1,2,4. For more workers than usable cores, a "
                        "recording is replayed (default: the number of usable cores and all "
                        "smaller powers of two; for traces 2,4,8,16,32,64)");
  }
  add_workload_options(*command, arguments->options);
  const heading here{*command, headings::results};
  command->add_flag(
      "--explain", arguments->explain,
      "If the default strategy is more than 1 % behind the best in a cell with at least 20 tasks "
      "per worker, show how the workers spent their time, and the last tasks");
  command->add_option("--plot", arguments->plot, "Write the tables as heat maps to this SVG file");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube compare edges --size 2048\n"
      "  evencube compare uts --balancer none,oem,random_stealing --engine evencube,tbb\n"
      "  evencube compare mandelbrot --placement one,skewed --workers 2,4 --plot mandelbrot.svg\n"
      "  evencube compare edges.trace --machine equal,hybrid,numa2 --explain --plot edges.svg");
  command->callback([arguments] { run_and_print(*arguments); });
}

}  // namespace evencube::cli
