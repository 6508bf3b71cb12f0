#include "bridge.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "exercises.hpp"
#include "limits.hpp"
#include "phases.hpp"
#include "recorded.hpp"
#include "request.hpp"
#include "scenarios.hpp"
#include "simulated.hpp"
#include "starts.hpp"
#include "strategies.hpp"

namespace evencube::lab {
namespace {

json to_json(const balancer_descriptor& descriptor) {
  json options = json::array();
  for (const auto& option : descriptor.options) {
    options.push_back({{"name", option.name},
                       {"summary", option.summary},
                       {"default", option.default_value},
                       {"choices", option.choices},
                       {"allowed", option.allowed}});
  }
  const auto& guarantees = descriptor.guarantees;
  return {{"name", descriptor.name},
          {"summary", descriptor.summary},
          {"source", descriptor.source},
          {"information", descriptor.information},
          {"difference", guarantees.difference_text},
          {"networks", guarantees.supports_text},
          {"event_driven", descriptor.event_driven},
          {"options", std::move(options)}};
}

json to_json(const exercise& one) {
  return {{"name", one.name},     {"title", one.title},         {"question", one.question},
          {"source", one.source}, {"topology", one.topology},   {"balancer", one.balancer},
          {"option", one.option}, {"initiator", one.initiator}, {"loads", one.loads},
          {"asks", one.asks},     {"solution", one.solution}};
}

/// All that the page needs to know before anything is asked.
json catalogue(const json&) {
  json balancers = json::array();
  for (const auto& descriptor : registered_balancers()) balancers.push_back(to_json(descriptor));
  json starts = json::array();
  for (const auto& one : all_starts()) {
    starts.push_back({{"name", one.name},
                      {"summary", one.summary},
                      {"cubes_only", one.cubes_only},
                      {"drawn", one.drawn}});
  }
  json exercises = json::array();
  for (const auto& one : all_exercises()) exercises.push_back(to_json(one));
  return {{"balancers", std::move(balancers)},
          {"starts", std::move(starts)},
          {"exercises", std::move(exercises)},
          {"scenarios", described_scenarios()},
          {"limits",
           {{"nodes", most_nodes},
            {"links", most_links},
            {"load", largest_load},
            {"events", most_events},
            {"events_at_once", most_events_at_once},
            {"packed_bytes", most_packed_bytes},
            {"recording_bytes", most_recording_bytes},
            {"unfolding", most_unfolding}}}};
}

json network(const json& request) {
  const auto graph = topology_member(request);
  json links = json::array();
  for (node_id k = 0; k < graph.nodes(); ++k) {
    graph.for_each_neighbour(k, [&](node_id other) {
      if (k < other) {
        links.push_back(k);
        links.push_back(other);
      }
    });
  }
  json degrees = json::array();
  for (const auto& [degree, nodes] : graph.degree_histogram()) {
    degrees.push_back({degree, nodes});
  }
  json codes = json::array();
  if (graph.kind() == topology_kind::fibonacci ||
      graph.kind() == topology_kind::fibonacci_composite) {
    for (node_id k = 0; k < graph.nodes(); ++k) codes.push_back(zeckendorf_code(k));
  }
  const auto text = graph.to_string();
  return {{"topology", text},
          {"kind", text.substr(0, text.find(':'))},
          {"nodes", graph.nodes()},
          {"rows", graph.rows()},
          {"columns", graph.columns()},
          {"dimensions", graph.dimensions()},
          {"diameter", graph.diameter()},
          {"average_distance", graph.average_distance()},
          {"degrees", std::move(degrees)},
          {"codes", std::move(codes)},
          {"links", std::move(links)}};
}

json steps_of(transmission how, const std::vector<load_type>& loads, const plan& moves) {
  const auto made = make_schedule(how, loads, moves);
  std::size_t transfers = 0;
  for (const auto& step : made.steps) transfers += step.transfers.size();
  if (transfers > most_charted_transfers) return nullptr;
  json steps = json::array();
  for (const auto& step : made.steps) {
    steps.push_back({step.start, step.duration, flat(step.transfers)});
  }
  return steps;
}

struct transmission_costs {
  json costs;
  bool pipelined_known;
};

transmission_costs costs_of(const std::vector<load_type>& loads, const plan& moves) {
  json costs = json::object();
  bool pipelined_known = true;
  for (const transmission how : all_transmissions) {
    const auto cost = transmission_cost(how, loads, moves, most_pipelined_work);
    costs[std::string(to_string(how))] = cost ? json(*cost) : json(nullptr);
    if (how == transmission::pipelined) pipelined_known = cost.has_value();
  }
  return {std::move(costs), pipelined_known};
}

json planned(const json& request) {
  const auto graph = topology_member(request);
  const auto loads = loads_member(request, graph);
  const auto name = text_member(request, "balancer");
  const auto descriptor = describe_balancer(name);
  const auto options = complete_options(descriptor, options_member(request));
  const auto capacities = capacities_member(request, graph);
  balance_request asked{.graph = graph, .loads = loads, .capacities = capacities};
  asked.seed = static_cast<std::uint64_t>(number_member(request, "seed", 0, INT64_MAX, 0));
  if (request.contains("initiator")) {
    asked.initiator = static_cast<node_id>(
        number_member(request, "initiator", 0, std::int64_t{graph.nodes()} - 1));
  }
  plan moves;
  make_balancer(name, options)->make_plan(asked, moves);
  if (const auto transfers = transfer_count(moves); transfers > most_transfers) {
    throw refusal("The plan has " + std::to_string(transfers) +
                  " transfers, but the lab shows at most " + std::to_string(most_transfers) + ".");
  }
  validate_plan(graph, loads, moves);

  std::optional<load_type> bound;
  if (capacities.empty() && descriptor.guarantees.difference) {
    bound = descriptor.guarantees.difference(asked, options);
  }
  auto costs = costs_of(loads, moves);
  json answer = replay_of(loads, moves);
  answer["balancer"] = name;
  answer["topology"] = graph.to_string();
  answer["bound"] = bound ? json(*bound) : json(nullptr);
  answer["bound_text"] = descriptor.guarantees.difference_text;
  answer["max_link"] = max_link(moves);
  answer["t_comm"] = std::move(costs.costs);
  if (request.contains("schedules") && transfer_count(moves) <= most_charted_transfers) {
    json schedules = {{"phased", steps_of(transmission::phased, loads, moves)},
                      {"overlapped", steps_of(transmission::overlapped, loads, moves)}};
    schedules["pipelined"] =
        costs.pipelined_known ? steps_of(transmission::pipelined, loads, moves) : json(nullptr);
    answer["schedules"] = std::move(schedules);
  }
  return answer;
}

json start(const json& request) {
  const auto graph = topology_member(request);
  const auto seed = static_cast<std::uint64_t>(number_member(request, "seed", 0, INT64_MAX, 1));
  const auto largest = number_member(request, "largest", 1, largest_load, 20);
  return {{"loads", make_start(text_member(request, "start"), graph, seed, largest)}};
}

json loads_checked(const json& request) {
  const auto graph = topology_member(request);
  return {{"loads", loads_member(request, graph)}};
}

json checked(const json& request) {
  const auto found = check_answer(text_member(request, "exercise"), text_member(request, "given"));
  return {{"right", found.right}, {"sentence", found.sentence}, {"loads", found.shown}};
}

json answered(std::string_view text) {
  if (text.size() > most_request_bytes) {
    throw refusal("The request has " + std::to_string(text.size()) + " bytes, more than " +
                  std::to_string(most_request_bytes) + ".");
  }
  const json request = json::parse(text, nullptr, false);
  if (!request.is_object()) throw refusal("The request is not a JSON object.");
  const auto asked = text_member(request, "ask");
  constexpr std::pair<std::string_view, json (*)(const json&)> known[] = {
      {"catalogue", catalogue}, {"network", network},
      {"plan", planned},        {"start", start},
      {"loads", loads_checked}, {"check", checked},
      {"simulate", simulated},  {"strategies", strategies_compared},
      {"recording", recorded},  {"forget", forget_recording}};
  for (const auto& [name, give] : known) {
    if (asked == name) return give(request);
  }
  throw refusal("Nothing is known about " + in_quotes(asked) + ".");
}

/// A sentence of the library as one of the page: with a capital and a full stop.
std::string sentence(std::string text) {
  if (text.empty()) return "The request was refused.";
  if (text.front() >= 'a' && text.front() <= 'z' && text.find(':') == std::string::npos) {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  if (text.back() != '.' && text.back() != '?') text += '.';
  return text;
}

std::string refused(std::string text) {
  return json{{"error", sentence(std::move(text))}}.dump(-1, ' ', true,
                                                         json::error_handler_t::replace);
}

/// The text of what `give` returns, or of the refusal.
template <class Give>
std::string guarded(Give&& give) {
  try {
    return give().dump(-1, ' ', true, json::error_handler_t::replace);
  } catch (const std::bad_alloc&) {
    return refused("The answer needs more memory than the page has.");
  } catch (const std::exception& problem) {
    return refused(problem.what());
  }
}

}  // namespace

std::string answer(std::string_view request) {
  return guarded([&] { return answered(request); });
}

std::string open_recording(std::string bytes) {
  return guarded([&] { return keep_recording(std::move(bytes)); });
}

}  // namespace evencube::lab
