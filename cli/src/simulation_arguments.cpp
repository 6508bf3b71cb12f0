#include "simulation_arguments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <evencube/balancers/registry.hpp>
#include <evencube/workloads/output_file.hpp>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "options.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

using namespace evencube::simulator;

namespace {

std::vector<std::string> names_of_presets() {
  std::vector<std::string> names;
  for (const preset& one : presets()) names.emplace_back(one.name);
  return names;
}

/// A flag as it was said: --held, or --running, which is its opposite.
std::string name_as_given(const CLI::Option& option) {
  const bool denied = !option.get_fnames().empty() && option.results().front() == "false";
  return "--" + (denied ? option.get_fnames() : option.get_lnames()).front();
}

}  // namespace

void add_simulation_options(CLI::App& command, simulation_arguments& into) {
  into.command = &command;
  require_known(
      add_text(command, "preset", into.preset, names_of_presets(), "The preset to simulate"),
      "preset", names_of_presets());
  offer_topologies(
      command.add_option("--topology", into.topology, "The network, as for `evencube topology`"));
  auto* const balancer = command.add_option("--balancer", into.balancer, "Strategy, or none");
  offer_balancers(balancer, true);
  require_known(balancer, "balancer", names_of_balancers());
  offer_balancer_options(command.add_option("--balancer-option", into.balancer_options,
                                            "Option of the balancer: KEY=VALUE"));
  add_text(command, "--service", into.service,
           {"constant:", "uniform:", "exponential:", "bimodal:", "pareto:"},
           "constant:V, uniform:LOW,HIGH, exponential:MEAN, bimodal:LOW,HIGH,SHARE or "
           "pareto:MINIMUM,SHAPE");
  command.add_option("--capacities", into.capacities, "Relative speeds > 0, one per node");
  add_real_number(
      command, "--load", into.load, reals::positive,
      "The offered utilisation of a node of speed 1. Nodes of other speeds get the same work");
  add_real_number(command, "--horizon", into.horizon, reals::positive,
                  "The end of the simulated time. Makespan, speed-up and efficiency count only "
                  "tasks that have ended by then");
  add_choice(command, "--order", into.order, {"fifo", "lifo"},
             "The order of service: fifo or lifo");
  add_text(command, "--trigger", into.trigger,
           {"never", "start", "idle", "period:", "threshold:", "utilisation:"},
           "never, start, idle, period:T, threshold:LOW,HIGH or utilisation:T,LEVEL");
  add_real_number(command, "--gap", into.gap, reals::not_negative,
                  "The least time between two rounds of balancing");
  add_text(command, "--information", into.information,
           {"free", "shared", "neighbours", "collective", "broadcast", "announced", "central",
            "proximity:"},
           "How balancing gets the loads, which determines its costs: free, shared, neighbours, "
           "collective, broadcast, announced, central, or proximity:LOAD (distances to nodes with "
           "loads below LOAD)");
  add_real_number(command, "--relay", into.relay, reals::not_negative,
                  "The time that each task in a direct transfer costs every node on its path");
  add_text(command, "--transmission", into.transmission,
           {"direct", "phased", "overlapped", "overlapped_rounds", "pipelined"},
           "phased, overlapped_rounds, overlapped, pipelined or direct");
  // Through a function: an absent flag must leave what the preset says.
  command.add_flag_function(
      "--held,!--running", [&into](std::int64_t given) { into.held = given > 0; },
      "With --held, no task runs during balancing");
  command.add_flag("--by-node", into.by_node, "Each node balances on its own");
  add_real_number(command, "--latency", into.latency, reals::not_negative,
                  "The latency of a transfer, in addition to its tasks' time");
  add_real_number(command, "--per-quantum", into.per_quantum, reals::not_negative,
                  "The time that a task takes to cross a link");
  command.add_flag("--one-port", into.one_port, "A node uses only one of its links at a time");
  add_whole_number(command, "--ranks", into.ranks, {1, 1 << 20},
                   "The number of ranks of a cluster. The nodes of a hypercube are divided equally "
                   "among them, along the high dimensions");
  add_real_number(
      command, "--task-bytes", into.task_bytes, reals::not_negative,
      "With --ranks: the size in bytes of a task that moves between ranks (default 1024)");
  add_real_number(
      command, "--rank-latency", into.rank_latency, reals::not_negative,
      "With --ranks: the latency of a message between ranks, in seconds (default: from --machine)");
  add_real_number(
      command, "--rank-bandwidth", into.rank_bandwidth, reals::positive,
      "With --ranks: the bandwidth between ranks, in bytes per second (default: from --machine)");
  add_real_number(command, "--sample", into.sample_period, reals::not_negative,
                  "The period at which the load difference is sampled");
  add_whole_number(
      command, "--max-tasks", into.most_waiting, {1, simulator::no_task - 1LL},
      "The maximum number of tasks that wait simultaneously (default 67108864; 32 bytes each)");
  add_whole_number(command, "--seed", into.seed, any_seed, "Seed of all random numbers");
  add_whole_number(command, "--replications", into.replications, {1, 1'000'000},
                   "The number of independent runs");
  add_threads_option(command, into.threads);
  command.add_flag("--long", into.long_form,
                   "Run a simulation even if it is estimated to take hours");
  add_text(command, "--machine", into.machine, {"this", "loh"},
           "The costs of messages and transfers, and the latency of links: this (measured now), "
           "loh, or a file written by --calibrate");
  auto* calibrate =
      command.add_flag("--calibrate", into.calibrate,
                       "Measure this machine's costs on real threads, and print them");
  command.add_option("--output", into.output, "The file that --calibrate writes")->needs(calibrate);
  command
      .add_flag("--cluster", into.over_ranks,
                "With --calibrate under mpirun: also measure messages between the first two ranks")
      ->needs(calibrate);
  command.add_flag("--json", into.as_json, "Print one JSON object");
}

void refuse_others(const simulation_arguments& arguments, std::initializer_list<const char*> used,
                   const std::string& why) {
  for (const CLI::Option* const option : arguments.command->get_options()) {
    const auto is_it = [&](const char* one) { return option->check_name(one); };
    if (option->count() == 0 || std::ranges::any_of(used, is_it)) continue;
    throw usage_error(why + (option->get_positional() ? "the preset " + arguments.preset
                                                      : name_as_given(*option)));
  }
}

CLI::App* add_simulate_arguments(CLI::App& app, simulation_arguments& arguments) {
  auto* const command =
      app.add_subcommand("simulate", "Simulate a machine's tasks and balancer in virtual time");
  add_simulation_options(*command, arguments);
  command->footer(
      "Without a preset, lists all presets. Ctrl-C keeps the results so far, marked partial.\n"
      "Examples:\n"
      "  evencube simulate mm1-array --topology hypercube:20 --horizon 5\n"
      "  evencube simulate hot-spot --balancer cwa --replications 20\n"
      "  evencube simulate --calibrate --output this.json\n"
      "  evencube simulate fork-join --machine this.json\n"
      "  evencube simulate batch --topology mesh:8x8 --balancer diffusion --json\n"
      "  mpirun -np 2 evencube simulate --calibrate --cluster --output ranks.json\n"
      "  evencube simulate search-tree --topology hypercube:16 --ranks 1024 --machine ranks.json");
  return command;
}

void require_calibration(const simulation_arguments& arguments) {
  refuse_others(arguments, {"--calibrate", "--output", "--cluster", "--json"},
                "--calibrate measures the machine instead of simulating; leave out ");
  if (arguments.output) {
    refusals_as_usage_errors([&] { workloads::require_writable(*arguments.output); });
  }
  check_environment();
}

void tell_calibration(const simulation_arguments& arguments, const machine_costs& machine) {
  if (arguments.output) {
    workloads::replace_file(*arguments.output,
                            workloads::bytes_of(to_json(machine).dump(1) + "\n"));
  }
  arguments.as_json ? print_json(to_json(machine)) : print(to_text(machine));
}

simulator::trigger parse_trigger(const std::string& text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const auto numbers = colon == std::string::npos
                           ? std::vector<double>{}
                           : real_numbers("--trigger", text.substr(colon + 1));
  using kind = simulator::trigger::kind;
  struct form {
    std::string_view name;
    kind which;
    std::size_t numbers;
  };
  constexpr std::array<form, 6> forms{{{"never", kind::never, 0},
                                       {"start", kind::start, 0},
                                       {"idle", kind::idle, 0},
                                       {"period", kind::period, 1},
                                       {"threshold", kind::threshold, 2},
                                       {"utilisation", kind::utilisation, 2}}};
  const auto* const known = std::ranges::find(forms, name, &form::name);
  if (known == forms.end() || known->numbers != numbers.size()) {
    throw std::invalid_argument("the trigger '" + text +
                                "' is not one of never, start, idle, period:T, threshold:LOW,HIGH, "
                                "utilisation:T,LEVEL");
  }
  simulator::trigger made;
  made.which = known->which;
  if (made.which == kind::period || made.which == kind::utilisation) made.period = numbers[0];
  if (made.which == kind::utilisation) made.level = numbers[1];
  if (made.which == kind::threshold) {
    for (const double load : numbers) {
      // Beyond, a double is no number of tasks.
      if (load >= 0 && load <= 9e15) continue;
      throw std::invalid_argument("the trigger '" + text +
                                  "': a load must be at least 0 and at most 9e15");
    }
    made.low = static_cast<load_type>(std::llround(numbers[0]));
    made.high = static_cast<load_type>(std::llround(numbers[1]));
  }
  return made;
}

void set_information(const std::string& text, simulator::balancing& balance) {
  constexpr std::array<std::pair<const char*, simulator::information>, 7> known{
      {{"free", simulator::information::free},
       {"shared", simulator::information::shared},
       {"neighbours", simulator::information::neighbours},
       {"collective", simulator::information::collective},
       {"broadcast", simulator::information::broadcast},
       {"announced", simulator::information::announced},
       {"central", simulator::information::central}}};
  for (const auto& [name, which] : known) {
    if (text == name) {
      balance.informed = which;
      return;
    }
  }
  const std::string distances = "proximity:";
  if (text.starts_with(distances)) {
    balance.informed = simulator::information::proximity;
    balance.light_below = whole_number("--information", text.substr(distances.size()), 0,
                                       std::numeric_limits<load_type>::max());
    return;
  }
  throw std::invalid_argument(
      "the information '" + text +
      "' is not one of free, shared, neighbours, collective, broadcast, announced, central, "
      "proximity:LOAD");
}

namespace {

/// --ranks and what belongs to it.
distance_model ranks_of(const simulation_arguments& arguments, const traces::rank_link& measured,
                        node_id nodes) {
  if (!arguments.ranks) {
    for (const char* const name : {"--task-bytes", "--rank-latency", "--rank-bandwidth"}) {
      if (arguments.command->count(name) != 0) {
        throw std::invalid_argument(std::string(name) + " needs --ranks");
      }
    }
    return {};
  }
  const auto ranks = *arguments.ranks;
  if (nodes % ranks != 0) {
    throw std::invalid_argument("--ranks " + std::to_string(ranks) + ": must divide the " +
                                std::to_string(nodes) + " nodes evenly");
  }
  const double latency = arguments.rank_latency.value_or(measured.latency);
  const double per_byte =
      arguments.rank_bandwidth ? 1 / *arguments.rank_bandwidth : measured.per_byte;
  if (latency == 0 && per_byte == 0) {
    throw std::invalid_argument(
        "--ranks " + std::to_string(ranks) +
        ": the latency and the bandwidth between ranks are unknown; give --rank-latency and "
        "--rank-bandwidth, or --machine with a file that `mpirun -np 2 evencube simulate "
        "--calibrate --cluster --output FILE` wrote");
  }
  if (arguments.task_bytes && per_byte == 0) {
    throw std::invalid_argument(
        "--task-bytes needs the time per byte: give --rank-bandwidth, or --machine with a file "
        "that contains this time");
  }
  return {.domains = ranks,
          .per_hop = arguments.task_bytes.value_or(1024) * per_byte,
          .latency = latency,
          .flat = true};
}

/// Options of a balancing, given where there is none, or none that uses them.
void refuse_unbalanced(const simulation_arguments& arguments, const simulator::balancing& balance) {
  if (balance.strategy == nullptr) {
    for (const char* const name :
         {"--trigger", "--gap", "--information", "--relay", "--transmission", "--held", "--by-node",
          "--latency", "--per-quantum", "--one-port", "--ranks", "--machine",
          "--balancer-option"}) {
      const CLI::Option& option = *arguments.command->get_option(name);
      if (option.count() == 0) continue;
      throw std::invalid_argument(name_as_given(option) +
                                  " needs a balancer, because nothing moves without one");
    }
  }
  using kind = simulator::trigger::kind;
  if (arguments.gap && (balance.when.which == kind::never || balance.when.which == kind::start)) {
    throw std::invalid_argument(
        "--gap needs a --trigger that can start several rounds: idle, period:T, threshold:LOW,HIGH "
        "or utilisation:T,LEVEL");
  }
}

}  // namespace

simulator::scenario make_scenario(const simulation_arguments& arguments) {
  scenario made = make_preset(arguments.preset, {.topology = arguments.topology,
                                                 .balancer = arguments.balancer,
                                                 .seed = arguments.seed,
                                                 .load = arguments.load.value_or(0),
                                                 .horizon = arguments.horizon.value_or(0)});
  model& m = made.what;
  if (arguments.load && m.arrivals.rate == 0) {
    throw std::invalid_argument("the preset " + arguments.preset +
                                " has all its tasks at the start, so --load is not allowed");
  }
  if (arguments.service && m.program != nullptr) {
    throw std::invalid_argument("the preset " + arguments.preset +
                                " has its own tasks, so --service is not allowed");
  }
  if (made.strategy && !arguments.balancer_options.empty()) {
    made.strategy = make_balancer(made.strategy->name(),
                                  key_values("--balancer-option", arguments.balancer_options));
    m.balance.strategy = made.strategy.get();
  }
  if (arguments.service) {
    // The offered utilisation stays what it is.
    const double mean = m.service.mean();
    m.service = distribution::parse(*arguments.service);
    if (m.arrivals.rate > 0) {
      if (!std::isfinite(m.service.mean()) || !(m.service.mean() > 0)) {
        throw std::invalid_argument("the mean of " + *arguments.service +
                                    " must be finite and > 0 to offer a load");
      }
      m.arrivals.rate *= mean / m.service.mean();
    }
  }
  if (!arguments.capacities.empty()) m.speeds = real_numbers("--capacities", arguments.capacities);
  if (arguments.order) m.order = *arguments.order == "lifo" ? queue_order::lifo : queue_order::fifo;
  if (arguments.trigger) {
    const double gap = m.balance.when.gap;
    m.balance.when = parse_trigger(*arguments.trigger);
    m.balance.when.gap = gap;
  }
  refuse_unbalanced(arguments, m.balance);
  if (arguments.gap) m.balance.when.gap = *arguments.gap;
  if (arguments.information) set_information(*arguments.information, m.balance);
  if (arguments.relay) m.balance.relay = *arguments.relay;
  if (arguments.transmission) m.balance.transmission = parse_transmission(*arguments.transmission);
  if (arguments.held) m.balance.held = *arguments.held;
  if (arguments.by_node) m.balance.by_node = true;
  machine_costs machine;
  if (!arguments.machine.empty()) {
    machine = machine_called(arguments.machine);
    apply(machine, m);
  }
  m.distance = ranks_of(arguments, machine.ranks, m.graph->nodes());
  if (arguments.latency) m.links.latency = *arguments.latency;
  if (arguments.per_quantum) m.links.per_quantum = *arguments.per_quantum;
  if (arguments.one_port) m.links.one_port = true;
  if (arguments.sample_period) m.sample_period = *arguments.sample_period;
  if (arguments.most_waiting) m.most_waiting = *arguments.most_waiting;
  return made;
}

}  // namespace evencube::cli
