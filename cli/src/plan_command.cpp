#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "options.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

constexpr std::size_t most_loads_shown = 64;
constexpr std::size_t most_transfers_shown = 256;
constexpr std::size_t most_packets_shown = 256;
constexpr std::size_t most_pipelined_work = 10'000'000;

struct plan_arguments {
  std::string balancer;
  std::string topology;
  std::string loads;
  std::string capacities;
  std::string initiator;
  std::uint64_t seed = 0;
  std::vector<std::string> options;
  balancer_options own_options;
  bool as_json = false;
};

struct planned {
  std::string balancer;
  topology graph;
  std::vector<load_type> initial;
  std::vector<load_type> after;
  plan moves;
  json details;
};

/// The three data movements of Mehrotra, Ranka, Wang 1992, Sections 2.1 to 2.3.
constexpr std::pair<const char*, movement_approach> approaches[] = {
    {"concatenated", movement_approach::concatenated},
    {"counted", movement_approach::counted},
    {"by distance", movement_approach::by_distance}};

json diffusion_details(const balancer_options& options, const topology& graph) {
  const auto known = spectrum(graph);
  const auto given = options.find("weight");
  const double asked = given == options.end() ? 0 : real_number("weight", given->second);
  const double alpha = asked > 0 ? asked : optimal_weight(graph, known);
  return {{"alpha", alpha}, {"gamma", convergence_factor(known, alpha)}};
}

json locality_details(const balance_request& request) {
  const auto line = locality_line(request.graph);
  std::vector<load_type> loads;
  std::vector<double> capacities;
  for (const node_id node : line) {
    loads.push_back(request.loads[node]);
    if (!request.capacities.empty()) capacities.push_back(request.capacities[node]);
  }
  json packets = json::array();
  for (const auto& packet : shift_packets(loads, capacities)) {
    packets.push_back({{"from", line[packet.from]},
                       {"to", line[packet.to]},
                       {"first", packet.first},
                       {"count", packet.count}});
  }
  json movements = json::array();
  for (const auto& [name, how] : approaches) {
    const movement moved = move_packets(how, loads, capacities);
    movements.push_back({{"approach", name},
                         {"steps", moved.steps.size()},
                         {"startups", moved.cost.startups},
                         {"items", moved.cost.items},
                         {"transfers", moved.cost.transfers}});
  }
  return {{"packets", std::move(packets)}, {"movements", std::move(movements)}};
}

std::string packets_text(const json& packets) {
  text_table table{{"packet from", "to", "first item", "items"}};
  for (std::size_t i = 0; i < std::min(packets.size(), most_packets_shown); ++i) {
    const auto& packet = packets[i];
    table.add_row(packet["from"].dump(), packet["to"].dump(), packet["first"].dump(),
                  packet["count"].dump());
  }
  return table.to_string() + (packets.size() > most_packets_shown
                                  ? fmt::format("... and {} more; --json prints all\n",
                                                packets.size() - most_packets_shown)
                                  : "");
}

std::string movements_text(const json& movements) {
  text_table table{{"<moved", "steps", "<cost", "packet-hops"}};
  for (const auto& row : movements) {
    table.add_row(row["approach"].get<std::string>(), row["steps"].dump(),
                  fmt::format("{} tau + {} phi S", row["startups"].dump(), row["items"].dump()),
                  row["transfers"].dump());
  }
  return table.to_string();
}

/// What the theory of one balancer says beyond its transfers, as keys of the plan's JSON object:
/// `alpha` and `gamma` of diffusion (weight and contraction of one iteration), the `packets` of
/// `locality` (consecutive quanta of the whole line from node to node). Empty for the others.
json plan_details(std::string_view balancer, const balancer_options& options,
                  const balance_request& request) {
  if (balancer == "diffusion") return diffusion_details(options, request.graph);
  if (balancer == "locality") return locality_details(request);
  return json::object();
}

/// The details of a plan as lines of text; empty if there are none.
std::string details_text(const json& details) {
  if (details.contains("alpha")) {
    return fmt::format("weight alpha {:.6g}; one iteration contracts by gamma {:.6g}\n",
                       details["alpha"].get<double>(), details["gamma"].get<double>());
  }
  if (!details.contains("packets")) return {};
  const auto& packets = details["packets"];
  if (packets.empty()) return "no packets\n";
  return "\n" + packets_text(packets) + "\n" + movements_text(details["movements"]);
}

/// Others plan for all nodes, whoever calls.
void require_event_driven(const plan_arguments& arguments) {
  std::vector<std::string> known;
  for (const auto& descriptor : registered_balancers()) {
    if (!descriptor.event_driven) continue;
    if (descriptor.name == arguments.balancer) return;
    known.push_back(descriptor.name);
  }
  throw usage_error{
      fmt::format("--initiator {}: {} always plans for all nodes; --initiator is for {}",
                  arguments.initiator, arguments.balancer, fmt::join(known, ", "))};
}

planned make(const plan_arguments& arguments) {
  const auto loads = whole_numbers("--loads", arguments.loads);
  auto graph = arguments.topology.empty() ? topology::cube(loads.size())
                                          : topology::parse(arguments.topology);
  if (loads.size() != graph.nodes()) {
    throw usage_error{fmt::format("--loads has {} entries, but {} has {} nodes", loads.size(),
                                  graph.to_string(), graph.nodes())};
  }
  auto options = key_values("--balancer-option", arguments.options);
  for (const auto& [key, value] : arguments.own_options) {
    if (!options.emplace(key, value).second) {
      throw usage_error{fmt::format("option \"{}\" is given twice", key)};
    }
  }
  const auto chosen = make_balancer(arguments.balancer, options);
  std::vector<double> capacities;
  if (!arguments.capacities.empty()) {
    capacities = real_numbers("--capacities", arguments.capacities);
  }
  balance_request request{graph, loads, capacities, arguments.seed};
  if (!arguments.initiator.empty()) {
    require_event_driven(arguments);
    request.initiator = static_cast<node_id>(
        whole_number("--initiator", arguments.initiator, 0, std::int64_t{graph.nodes()} - 1));
  }
  plan moves;
  chosen->make_plan(request, moves);
  auto after = final_loads(moves, loads);
  auto details = plan_details(arguments.balancer, options, request);
  return {arguments.balancer, std::move(graph), loads,
          std::move(after),   std::move(moves), std::move(details)};
}

/// Null where it takes too long to find. It lies between its two bounds.
json pipelined_cost(const planned& result, load_type busiest_link, load_type overlapped) {
  if (busiest_link == overlapped) return overlapped;
  const auto found =
      transmission_cost(transmission::pipelined, result.initial, result.moves, most_pipelined_work);
  return found ? json(*found) : json(nullptr);
}

json to_json(const planned& result) {
  json phases = json::array();
  for (const auto& moves : result.moves.phases) {
    json transfers = json::array();
    for (const auto& move : moves) {
      transfers.push_back({{"from", move.from}, {"to", move.to}, {"quanta", move.quanta}});
    }
    phases.push_back(std::move(transfers));
  }
  const auto cost = [&](transmission how) {
    return transmission_cost(how, result.initial, result.moves);
  };
  const load_type overlapped = cost(transmission::overlapped);
  const load_type busiest = max_link(result.moves);
  json facts = {{"balancer", result.balancer},
                {"topology", result.graph.to_string()},
                {"nodes", result.graph.nodes()},
                {"initial", result.initial},
                {"final", result.after},
                {"phases", std::move(phases)},
                {"max_difference", max_difference(result.after)},
                {"task_hops", task_hops(result.moves)},
                {"max_link", busiest},
                {"t_comm",
                 {{"phased", cost(transmission::phased)},
                  {"overlapped_rounds", cost(transmission::overlapped_rounds)},
                  {"overlapped", overlapped},
                  {"pipelined", pipelined_cost(result, busiest, overlapped)}}}};
  facts.update(result.details);
  return facts;
}

std::string loads_text(const std::vector<load_type>& loads) {
  std::string text;
  for (std::size_t node = 0; node < std::min(loads.size(), most_loads_shown); ++node) {
    text += fmt::format("{}{}", node == 0 ? "" : " ", loads[node]);
  }
  return loads.size() > most_loads_shown ? fmt::format("{} ... ({} nodes)", text, loads.size())
                                         : text;
}

std::string transfers_text(const plan& moves) {
  text_table table{{"phase", "from", "to", "quanta"}};
  std::size_t shown = 0;
  for (std::size_t index = 0; index < moves.phases.size(); ++index) {
    for (const auto& move : moves.phases[index]) {
      if (shown++ < most_transfers_shown) table.add_row(index, move.from, move.to, move.quanta);
    }
  }
  if (shown == 0) return "nothing to move\n";
  auto text = table.to_string();
  if (shown > most_transfers_shown) {
    text += fmt::format("... and {} more; --json prints all\n", shown - most_transfers_shown);
  }
  return text;
}

/// A sum as it is shown; those that do not fit stop at the largest number.
std::string sum_text(load_type sum) {
  return sum == std::numeric_limits<load_type>::max() ? fmt::format("at least {}", sum)
                                                      : std::to_string(sum);
}

std::string pipelined_text(const json& facts) {
  const auto& cost = facts["t_comm"];
  if (!cost["pipelined"].is_null()) return cost["pipelined"].dump();
  return fmt::format("between {} and {} (the exact time takes too long to compute)",
                     facts["max_link"].dump(), cost["overlapped"].dump());
}

std::string to_text(const planned& result) {
  const auto facts = to_json(result);
  const auto& cost = facts["t_comm"];
  text_table summary{{"<", "before", "after"}};
  const auto [low, high] = std::ranges::minmax(result.initial);
  const auto [final_low, final_high] = std::ranges::minmax(result.after);
  summary.add_row("smallest load", low, final_low);
  summary.add_row("largest load", high, final_high);
  summary.add_row("difference", high - low, facts["max_difference"].dump());
  return fmt::format(
      "{} on {}\n\ninitial  {}\nfinal    {}\n\n{}\n{}\n"
      "{} task-hops, {} over the busiest link\n"
      "time in units of T_comm: phased {}, overlapped {} (in rounds {}), pipelined {}\n{}",
      result.balancer, result.graph.to_string(), loads_text(result.initial),
      loads_text(result.after), transfers_text(result.moves), summary.to_string(),
      sum_text(facts["task_hops"].get<load_type>()), facts["max_link"].dump(),
      cost["phased"].dump(), cost["overlapped"].dump(), cost["overlapped_rounds"].dump(),
      pipelined_text(facts), details_text(result.details));
}

void plan_and_print(const plan_arguments& arguments) {
  const planned result = refusals_as_usage_errors([&] { return make(arguments); });
  // A plan that breaks its own rules is a fault of the balancer, not of the user.
  validate_plan(result.graph, result.initial, result.moves);
  arguments.as_json ? print_json(to_json(result)) : print(to_text(result));
}

/// Every option that some balancer has, under its own name. Which of them the chosen one takes, and
/// with which values, it says itself.
void add_balancers_options(CLI::App& command, plan_arguments& arguments) {
  struct known_option {
    std::string summary;
    std::set<std::string> owners;
    std::set<std::string> choices;
  };
  std::map<std::string, known_option> known;
  // Of this one any order of the dimensions is allowed, too.
  known["order"].choices = {"ascending", "descending"};
  for (const auto& descriptor : registered_balancers()) {
    for (const auto& option : descriptor.options) {
      known_option& one = known[option.name];
      if (one.owners.empty()) one.summary = option.summary;
      one.owners.insert(descriptor.name);
      one.choices.insert(option.choices.begin(), option.choices.end());
    }
  }
  for (const auto& [name, one] : known) {
    if (command.get_option_no_throw("--" + name) != nullptr) continue;  // reachable by --option
    const auto keep = [&arguments, key = name](const std::string& value) {
      arguments.own_options[key] = value;
    };
    const auto help = fmt::format("{} ({})", one.summary, fmt::join(one.owners, ", "));
    offer(command.add_option_function<std::string>("--" + name, keep, help)
              ->group("Options of balancers"),
          {one.choices.begin(), one.choices.end()});
  }
}

}  // namespace

void add_plan_command(CLI::App& app) {
  auto arguments = std::make_shared<plan_arguments>();
  auto* command =
      app.add_subcommand("plan", "Show the transfers that a balancer plans, and their costs");
  auto* const balancer = command->add_option("BALANCER", arguments->balancer,
                                             "Name of a balancer; see evencube balancers");
  offer_balancers(balancer->required(), true);
  require_known(balancer, "balancer", names_of_balancers());
  offer_topologies(
      command->add_option("--topology", arguments->topology,
                          "hypercube:D, cube:N, mesh:RxC, torus:RxC, ring:N, linear:N, complete:N, "
                          "star:N, fibonacci:ORDER, fibonacci-composite:N or edges:0-1,1-2,... "
                          "(default: cube:N with one node for each load)"));
  command->add_option("--loads", arguments->loads, "Quanta on each node: 15,1,1,1")->required();
  command->add_option("--capacities", arguments->capacities,
                      "Relative speed of each node: 1,1,0.5,0 (default: all equal)");
  command->add_option("--initiator", arguments->initiator,
                      "The node whose load crossed its threshold (for event-driven balancers)");
  add_whole_number(*command, "--seed", arguments->seed, any_seed,
                   "The seed, for balancers that draw random numbers");
  offer_balancer_options(command
                             ->add_option("--balancer-option,--option", arguments->options,
                                          "key=value: an option of the balancer; repeatable")
                             ->allow_extra_args(false));
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  add_balancers_options(*command, *arguments);
  command->footer(
      "Sums above 9223372036854775807 are shown as that number. A pipelined time that takes too\n"
      "long to compute is shown by its bounds, and as null with --json.\n"
      "Examples:\n"
      "  evencube plan dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1\n"
      "  evencube plan oem --topology hypercube:1 --loads 4,7 --json\n"
      "  evencube plan dem --topology cube:6 --loads 12,0,0,0,0,0");
  command->callback([arguments] { plan_and_print(*arguments); });
}

}  // namespace evencube::cli
