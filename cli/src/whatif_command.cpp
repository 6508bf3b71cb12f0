#include <fmt/format.h>

#include <chrono>
#include <evencube/machine.hpp>
#include <evencube/simulator/what_if.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "machine_file.hpp"
#include "number_text.hpp"
#include "options.hpp"
#include "recordings.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

using namespace evencube::simulator;

struct whatif_arguments {
  std::string file;
  std::vector<std::string> balancers;
  std::vector<std::string> workers;
  std::vector<std::string> topologies;
  std::string machine;
  std::string capacities;
  // The planner's options; those that are not given are as recorded.
  std::optional<std::string> mode;
  std::optional<std::int64_t> period_us;
  std::optional<std::int64_t> trigger;
  std::optional<std::string> pulls;
  std::optional<std::string> order;
  std::optional<task_id> explained;
  bool as_json = false;
};

struct network {
  std::string topology;
  std::vector<double> capacities;
};
const std::vector<double> no_capacities;

/// The cube of workers that the runtime would make on a machine, with the speeds of its units.
network cube_on(const std::string& synthetic) {
  const machine on = discover_machine({.synthetic = synthetic});
  network made{fmt::format("cube:{}", on.default_workers), {}};
  for (const unsigned unit : place_workers(on, on.default_workers)) {
    made.capacities.push_back(on.units[unit].capacity);
  }
  return made;
}

std::string_view mode_of(const what_if& one) {
  return one.by_thread ? "thread" : one.rounds ? "on_idle" : "on_demand";
}

/// Sets the planner as far as the options choose one. Throws usage_error.
void plan_as_asked(const whatif_arguments& arguments, what_if& one) {
  runtime_arguments engine;
  engine.balancer = one.balancer;
  engine.mode = arguments.mode.value_or(std::string(mode_of(one)));
  engine.period_us = arguments.period_us;
  engine.trigger = arguments.trigger;
  engine.pulls = arguments.pulls.value_or(engine.pulls);
  engine.order = arguments.order.value_or(engine.order);
  runtime_options options = make_runtime_options(engine);
  if (arguments.trigger) {
    options.options = one.options;
    refuse_trigger_beside_marks(options);
  }
  if (arguments.mode) {
    one.rounds = options.mode != balancer_mode::on_demand;
    one.by_thread = has_balancer_thread(options.mode);
    if (!one.by_thread) one.period = 0;
  }
  if (arguments.period_us) one.period = std::chrono::duration<double>(options.period).count();
  if (arguments.trigger) one.threshold = static_cast<load_type>(options.threshold);
  if (arguments.pulls) one.pulls = options.pulls;
  if (arguments.order) one.largest_first = options.largest_first;
}

/// Says how a configuration differs from the usual one of replays.
std::string remark_on(const forecast& f) {
  const what_if usual;
  const what_if& one = f.configuration;
  std::vector<std::string> parts;
  if (f.recorded) parts.emplace_back("as recorded");
  if (one.by_thread != usual.by_thread || one.rounds != usual.rounds) {
    parts.push_back(fmt::format("mode {}", mode_of(one)));
  }
  if (one.period != usual.period) parts.push_back("period " + duration_text(one.period));
  if (one.threshold != usual.threshold) parts.push_back(fmt::format("trigger {}", one.threshold));
  if (one.pulls != usual.pulls) parts.emplace_back("pulls off");
  if (one.largest_first != usual.largest_first) parts.emplace_back("order newest");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Every combination of the given options; options that were not given are as recorded.
std::vector<what_if> asked(const whatif_arguments& arguments, const what_if& recorded) {
  std::vector<network> networks;
  for (const std::string& text : arguments.topologies) {
    networks.push_back({text, text == recorded.topology ? recorded.capacities : no_capacities});
  }
  for (const std::string& count : arguments.workers) {
    networks.push_back(
        {fmt::format("cube:{}", whole_number("--workers", count, 1, 1 << 20)), no_capacities});
  }
  if (!arguments.machine.empty()) networks.push_back(cube_on(arguments.machine));
  if (networks.empty()) networks.push_back({recorded.topology, recorded.capacities});
  std::vector<std::string> balancers = arguments.balancers;
  if (balancers.empty()) balancers.push_back(recorded.balancer);
  std::vector<what_if> all;
  for (const network& on : networks) {
    for (const std::string& name : balancers) {
      what_if one = recorded;
      if (name != recorded.balancer) one.options.clear();
      one.balancer = name;
      // Without pulls, nothing would move under random stealing.
      if (name == "random_stealing") one.pulls = true;
      one.topology = on.topology;
      one.capacities = arguments.capacities.empty()
                           ? on.capacities
                           : real_numbers("--capacities", arguments.capacities);
      plan_as_asked(arguments, one);
      all.push_back(std::move(one));
    }
  }
  return all;
}

json to_json(const checked_trace& given, const std::vector<forecast>& forecasts) {
  const trace& source = given.source;
  const round_check& rounds = given.rounds;
  json configurations = json::array();
  for (const forecast& f : forecasts) {
    configurations.push_back({{"balancer", f.configuration.balancer.name()},
                              {"topology", f.configuration.topology},
                              {"recorded", f.recorded},
                              {"mode", mode_of(f.configuration)},
                              {"period_seconds", f.configuration.period},
                              {"trigger", f.configuration.threshold},
                              {"pulls", f.configuration.pulls},
                              {"order", f.configuration.largest_first ? "largest" : "newest"},
                              {"seconds", f.outcome.makespan},
                              {"speedup", f.outcome.speedup},
                              {"efficiency", f.outcome.efficiency},
                              {"idle_seconds", f.outcome.idle},
                              {"tasks_moved", f.outcome.tasks_moved}});
  }
  const double real = static_cast<double>(source.makespan) * 1e-9;
  return {{"workload", source.workload},
          {"tasks", source.tasks.size()},
          {"measured_seconds", real},
          {"cut", source.cut},
          {"costs", cli::to_json(source.costs)},
          {"forecast_error", given.forecast_error()},
          {"rounds", rounds.rounds},
          {"rounds_planned_alike", rounds.equal},
          {"rounds_planned_otherwise", rounds.different},
          {"configurations", std::move(configurations)}};
}

std::string costs_text(const machine_costs& costs) {
  return fmt::format(
      "{} to read a worker's load and plan, {} to move a task, {} to begin a task, {} to wake a "
      "worker",
      duration_text(costs.costs.measure),
      duration_text(costs.costs.transfer_send + costs.costs.transfer_receive),
      duration_text(costs.costs.receive), duration_text(costs.links.latency));
}

/// Above this error of a replay of the recorded run itself, the machine was probably busy then.
constexpr double quiet_error = 0.05;

std::string to_text(const checked_trace& given, const std::vector<forecast>& forecasts) {
  const trace& source = given.source;
  const round_check& rounds = given.rounds;
  text_table table{{"<balancer", "<topology", "time", "speed-up", "efficiency", "idle per worker",
                    "tasks moved", "<"}};
  for (const forecast& f : forecasts) {
    table.add_row(f.configuration.balancer.name(), f.configuration.topology,
                  duration_text(f.outcome.makespan), fmt::format("{:.2f}", f.outcome.speedup),
                  share_text(f.outcome.efficiency), duration_text(f.outcome.idle),
                  f.outcome.tasks_moved, remark_on(f));
  }
  const double real = static_cast<double>(source.makespan) * 1e-9;
  return fmt::format(
      "{}: {} tasks, measured {}{}\n"
      "\n"
      "{}\n"
      "error when forecasting the recorded configuration: {}\n"
      "recorded rounds: {}, of which {} get the same plan again{}\n"
      "costs of the machine that recorded it: {}\n"
      "{}",
      visible(source.workload), source.tasks.size(), duration_text(real),
      source.cut ? " (cut short because memory was full)" : "", table.to_string(),
      share_text(given.forecast_error()), rounds.rounds, rounds.equal,
      rounds.different.empty()
          ? ""
          : fmt::format("; different plans: rounds {}", fmt::join(rounds.different, ", ")),
      costs_text(source.costs),
      given.forecast_error() < quiet_error
          ? ""
          : "The machine was probably busy during the recording: even the recorded run is forecast "
            "badly, so other\n"
            "forecasts will be no better. Record again when the machine is quiet.\n");
}

void tell_why(const trace& source, const whatif_arguments& arguments) {
  std::vector<std::string> lines;
  try {
    lines = explain(source, *arguments.explained);
  } catch (const std::invalid_argument& problem) {
    throw usage_error(fmt::format("{}: {}", arguments.file, problem.what()));
  }
  if (arguments.as_json) {
    print_json({{"task", *arguments.explained}, {"events", lines}});
    return;
  }
  for (const std::string& line : lines) print(line + "\n");
}

std::vector<forecast> replay_all(const whatif_arguments& arguments, const checked_trace& given) {
  std::vector<forecast> forecasts{{given.configuration, true, given.outcome}};
  for (what_if& one : asked(arguments, given.configuration)) {
    forecasts.push_back({std::move(one), false, {}});
    forecasts.back().outcome = replay(given.program, forecasts.back().configuration);
  }
  return forecasts;
}

void whatif(const whatif_arguments& arguments) {
  const auto given =
      with_memory_for(arguments.file, [&] { return read_checked_trace(arguments.file); });
  if (arguments.explained) {
    tell_why(given.source, arguments);
    return;
  }
  const auto forecasts = with_memory_for(arguments.file, [&] {
    return refusals_as_usage_errors([&] { return replay_all(arguments, given); });
  });
  arguments.as_json ? print_json(to_json(given, forecasts)) : print(to_text(given, forecasts));
}

}  // namespace

void add_whatif_command(CLI::App& app) {
  auto arguments = std::make_shared<whatif_arguments>();
  auto* command = app.add_subcommand(
      "whatif", "Replay a recorded run under other strategies, machines and worker counts");
  command->add_option("file", arguments->file, "A trace written by `evencube run --trace`")
      ->required();
  offer_balancers(
      command->add_option("--balancer", arguments->balancers, "Strategies to replay under")
          ->delimiter(','));
  command
      ->add_option("--workers", arguments->workers,
                   "Numbers of workers to replay on, each as a cube")
      ->delimiter(',');
  offer_topologies(command->add_option("--topology", arguments->topologies,
                                       "A network to replay on; may be given more than once"));
  command->add_option("--machine", arguments->machine,
                      "Replay on the units of a machine in hwloc's synthetic language, such as "
                      "\"pack:2 core:4 pu:1\"");
  command->add_option("--capacities", arguments->capacities, "Relative speeds > 0, one per worker");
  add_choice(*command, "--mode", arguments->mode, {"auto", "thread", "on_idle", "on_demand"},
             "When rounds begin: on_idle or auto (a worker without tasks plans), thread (a "
             "separate thread also plans, when a queue is long), on_demand (only if the program "
             "calls balance); default: as recorded");
  add_whole_number(*command, "--period", arguments->period_us, allowed_period_us,
                   "With --mode thread, given or recorded: the microseconds after which the thread "
                   "begins a round even if no worker has called it; default: as recorded");
  add_whole_number(*command, "--trigger", arguments->trigger, {0, most_trigger},
                   "The number of quanta in a queue above which its worker requests a round, with "
                   "--mode thread or an event-driven balancer; default: as recorded");
  add_choice(*command, "--pulls", arguments->pulls, {"on", "off"},
             "Whether idle workers take tasks from other workers between rounds: on or off; "
             "default: as recorded, and on for random_stealing");
  add_choice(
      *command, "--order", arguments->order, {"largest", "newest"},
      "Which tasks a worker begins first if costs differ: largest or newest; default: as recorded");
  add_whole_number(*command, "--explain", arguments->explained, {0, no_task - std::int64_t{1}},
                   "Explain why this task ran on its worker, without a replay");
  for (const char* const of_replays :
       {"--balancer", "--workers", "--topology", "--machine", "--capacities", "--mode", "--period",
        "--trigger", "--pulls", "--order"}) {
    command->get_option("--explain")->excludes(of_replays);
  }
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube whatif edges.trace --balancer none,dem,cwa --workers 2,4,8\n"
      "  evencube whatif edges.trace --mode thread --trigger 32 --pulls off\n"
      "  evencube whatif edges.trace --explain 17");
  command->callback([arguments] { whatif(*arguments); });
}

}  // namespace evencube::cli
