#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "commands.hpp"
#include "comparison.hpp"
#include "comparison_report.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "number_options.hpp"
#include "other_engines.hpp"
#include "progress_bar.hpp"
#include "runtime_arguments.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

struct compare_arguments {
  std::string workload;
  std::vector<std::string> balancers{"none",
                                     "random_stealing",
                                     "dem",
                                     "oem",
                                     "cwa",
                                     "diffusion",
                                     "gradient",
                                     "sender_initiated",
                                     "receiver_initiated",
                                     "dispatcher"};
  std::vector<std::string> placements{"spread", "one", "skewed"};
  std::string workers;
  std::string engines = own_engine;
  runtime_arguments planning;
  workloads::workload_options options;
  unsigned repeat = 5;
  bool verify = true;
  std::optional<std::string> plot;
  bool as_json = false;
};

void check_plot(const compare_arguments& arguments) {
  if (!arguments.plot) return;
  if (!arguments.plot->ends_with(".svg")) {
    throw usage_error{fmt::format("--plot \"{}\": must end in .svg", *arguments.plot)};
  }
  workloads::require_writable(*arguments.plot);
  const auto input = input_file(arguments.options);
  if (input && workloads::same_file(*arguments.plot, *input)) {
    throw usage_error{fmt::format("--plot {}: this is the file of --input too", *arguments.plot)};
  }
}

void require_each_once(std::string_view option, std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    throw usage_error{fmt::format("{} {}: is there twice", option, *twice)};
  }
}

/// Everything that can be wrong with the user's input is found here, before any work is done.
comparison_plan prepare(const compare_arguments& arguments) {
  return refusals_as_usage_errors([&] {
    check_plot(arguments);
    check_environment();
    require_each_once("--balancer", arguments.balancers);
    require_each_once("--placement", arguments.placements);
    comparison_plan plan;
    plan.repeat = arguments.repeat;
    plan.verify = arguments.verify;
    plan.engines = listed_engines(arguments.engines);
    for (const std::string& name : arguments.balancers) {
      runtime_arguments engine = arguments.planning;
      engine.balancer = name;
      // Nothing else would move there.
      if (name == "random_stealing") engine.pulls = "on";
      plan.strategies.push_back(make_runtime_options(engine));
      // The runtime knows the names.
      static_cast<void>(start_runtime(plan.strategies.back()));
    }
    plan.workers = arguments.workers.empty()
                       ? usual_worker_counts(static_cast<unsigned>(start_runtime({})->workers()))
                       : listed_worker_counts(arguments.workers);
    for (const std::string& name : arguments.placements) {
      plan.placements.push_back(workloads::placement_named(name));
    }
    return plan;
  });
}

comparison measure(const compare_arguments& arguments, const comparison_plan& plan) {
  progress_bar progress{!arguments.as_json && stderr_is_terminal()};
  const workload_maker make = [&](workloads::placement where) {
    return refusals_as_usage_errors([&] {
      auto options = arguments.options;
      options.where = where;
      auto work = workloads::make_workload(arguments.workload, options);
      if (where == plan.placements.front()) {
        for (const auto& why : work->left_out()) complain(why);
      }
      return work;
    });
  };
  return with_memory_for(input_of(arguments.workload, arguments.options),
                         [&] { return compare_strategies(make, plan, progress); });
}

void run_and_print(const compare_arguments& arguments) {
  const comparison_plan plan = prepare(arguments);
  const comparison made = measure(arguments, plan);
  if (made.good() && arguments.plot) {
    const std::string picture = heat_map(made);
    workloads::replace_file(*arguments.plot, workloads::bytes_of(picture));
  }
  if (arguments.as_json) {
    print_json(to_json(made));
  } else {
    print(to_text(made));
    if (made.good() && arguments.plot) print(fmt::format("wrote {}\n", *arguments.plot));
  }
  if (!made.good()) {
    throw std::runtime_error{fmt::format("the result is wrong{}: {}",
                                         arguments.plot ? ", nothing was written" : "",
                                         made.check->detail)};
  }
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto arguments = std::make_shared<compare_arguments>();
  auto* command = app.add_subcommand(
      "compare",
      "Run a workload under several strategies, wherever its tasks begin and on several numbers of "
      "workers: who is best, and how far off are the others");
  add_workload_name(*command, arguments->workload);
  command
      ->add_option("--balancer", arguments->balancers,
                   "Strategies: names of evencube balancers, or random_stealing")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--placement", arguments->placements,
                   "Where tasks begin: spread (task i on worker i mod P), one (all on worker 0), "
                   "skewed (half on worker 0, a quarter on 1, ...)")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--workers", arguments->workers,
                      "Worker counts such as 1,2,4 (default: powers of two up to the cores that "
                      "may be used, and that number)");
  add_engine_option(*command, arguments->engines);
  add_planning_options(*command, arguments->planning);
  add_workload_options(*command, arguments->options);
  add_whole_number(*command, "--repeat", arguments->repeat, {1, 1000},
                   "Rounds of measuring that count, after one that does not if there are several");
  command->add_flag("--verify,!--no-verify", arguments->verify,
                    "Check every result (on unless --no-verify)");
  command->add_option("--plot", arguments->plot, "SVG to write: the table as a heat map");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube compare edges --size 2048\n"
      "  evencube compare uts --balancer none,oem,random_stealing --engine evencube,tbb\n"
      "  evencube compare mandelbrot --placement one,skewed --workers 2,4 --plot mandelbrot.svg\n"
      "Beyond the cores that there are: evencube whatif.");
  command->callback([arguments] { run_and_print(*arguments); });
}

}  // namespace evencube::cli
