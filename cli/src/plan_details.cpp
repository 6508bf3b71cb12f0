#include "plan_details.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/locality.hpp>
#include <string>
#include <utility>
#include <vector>

#include "number_text.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

constexpr std::size_t most_packets_shown = 256;

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

}  // namespace

json plan_details(std::string_view balancer, const balancer_options& options,
                  const balance_request& request) {
  if (balancer == "diffusion") return diffusion_details(options, request.graph);
  if (balancer == "locality") return locality_details(request);
  return json::object();
}

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

}  // namespace evencube::cli
