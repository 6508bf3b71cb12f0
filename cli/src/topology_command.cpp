#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <memory>

#include <evencube/balancers/topology.hpp>
#include <evencube/machine.hpp>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "runtime_arguments.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

struct topology_arguments {
  std::string topology;
  std::string workers = "auto";
  std::string machine;
  bool as_json = false;
};

json network_json(const topology& graph) {
  json degrees = json::object();
  for (const auto& [degree, nodes] : graph.degree_histogram()) {
    degrees[std::to_string(degree)] = nodes;
  }
  return {{"nodes", graph.nodes()},
          {"edges", graph.edges()},
          {"diameter", graph.diameter()},
          {"average_distance", graph.average_distance()},
          {"average_degree",
           2 * static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes())},
          {"degree_histogram", std::move(degrees)}};
}

std::string network_text(const topology& graph) {
  const auto facts = network_json(graph);
  text_table degrees{{"degree", "nodes"}};
  for (const auto& [degree, nodes] : graph.degree_histogram()) degrees.add_row(degree, nodes);
  return fmt::format(
      "{}\n\nnodes             {}\nlinks             {}\ndiameter          {}\n"
      "average distance  {:.4g}\naverage degree    {:.4g}\n\n{}",
      graph.to_string(), graph.nodes(), graph.edges(), graph.diameter(),
      facts["average_distance"].get<double>(), facts["average_degree"].get<double>(),
      degrees.to_string());
}

/// The places of the runtime's workers, and the neighbours of each worker by dimension.
struct worker_map {
  machine on;
  std::vector<unsigned> units;
  std::string reason;

  [[nodiscard]] std::size_t dimensions() const {
    // An int in newer libraries.
    return static_cast<std::size_t>(std::bit_width(units.size() - 1));
  }

  /// The neighbours of a worker, by dimension of the cube; null if it has none there.
  [[nodiscard]] json neighbours(std::size_t worker) const {
    json all = json::array();
    for (std::size_t dimension = 0; dimension < dimensions(); ++dimension) {
      const std::size_t other = worker ^ (std::size_t{1} << dimension);
      all.push_back(other < units.size() ? json(other) : json(nullptr));
    }
    return all;
  }
};

worker_map map_workers(const topology_arguments& arguments) {
  runtime_options options;
  options.workers = workers_argument(arguments.workers);
  options.synthetic_machine = arguments.machine;
  const auto made = start_runtime(options);
  return {made->hardware(), made->placement(), made->reason()};
}

json machine_json(const worker_map& map) {
  json workers = json::array();
  for (std::size_t worker = 0; worker < map.units.size(); ++worker) {
    const auto& unit = map.on.units[map.units[worker]];
    workers.push_back({{"worker", worker},
                       {"pu", unit.os_index},
                       {"core", unit.core},
                       {"smt_rank", unit.smt_rank},
                       {"l2", unit.l2_group},
                       {"l3", unit.l3_group},
                       {"numa_node", unit.numa_node},
                       {"package", unit.package},
                       {"kind", unit.kind},
                       {"capacity", unit.capacity},
                       {"neighbours", map.neighbours(worker)}});
  }
  return {{"units", map.on.units.size()},
          {"default_workers", map.on.default_workers},
          {"reason", map.reason},
          {"source", map.on.source},
          {"quota", std::isfinite(map.on.quota) ? json(map.on.quota) : json(nullptr)},
          {"workers", std::move(workers)}};
}

std::string machine_text(const worker_map& map) {
  std::vector<std::string> columns = {"worker", "PU", "core", "L2", "L3", "NUMA", "package"};
  for (std::size_t dimension = 0; dimension < map.dimensions(); ++dimension) {
    columns.push_back({fmt::format("dim {}", dimension)});
  }
  text_table table{columns};
  for (std::size_t worker = 0; worker < map.units.size(); ++worker) {
    const auto& unit = map.on.units[map.units[worker]];
    std::vector<std::string> cells = {std::to_string(worker),        std::to_string(unit.os_index),
                                      std::to_string(unit.core),     std::to_string(unit.l2_group),
                                      std::to_string(unit.l3_group), std::to_string(unit.numa_node),
                                      std::to_string(unit.package)};
    for (const json& other : map.neighbours(worker)) {
      cells.push_back(other.is_null() ? "-" : other.dump());
    }
    table.add_cells(std::move(cells));
  }
  return fmt::format("{}\nsource: {}; dim i: the neighbour over dimension i of the cube\n\n{}",
                     map.reason, map.on.source, table.to_string());
}

void show(const topology_arguments& arguments) {
  if (arguments.topology.empty()) {
    check_environment();
    const auto map = map_workers(arguments);
    arguments.as_json ? print_json(machine_json(map)) : print(machine_text(map));
    return;
  }
  if (arguments.workers != "auto") {
    throw usage_error{"--workers applies to the machine and cannot be combined with --topology"};
  }
  if (!arguments.machine.empty()) {
    throw usage_error{
        "--machine describes a machine with workers and cannot be combined with --topology"};
  }
  const auto graph = topology::parse(arguments.topology);
  arguments.as_json ? print_json(network_json(graph)) : print(network_text(graph));
}

}  // namespace

void add_topology_command(CLI::App& app) {
  auto arguments = std::make_shared<topology_arguments>();
  auto* command = app.add_subcommand(
      "topology", "Describe a network or, by default, this machine and its workers' places");
  offer_topologies(
      command->add_option("--topology", arguments->topology,
                          "hypercube:D, cube:N, mesh:RxC, torus:RxC, ring:N, linear:N, complete:N, "
                          "star:N, fibonacci:ORDER, fibonacci-composite:N or edges:0-1,1-2,..."));
  command->add_option("--workers", arguments->workers, "Number of workers to place on this machine")
      ->capture_default_str();
  add_machine_option(*command, arguments->machine);
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube topology\n"
      "  evencube topology --workers 6\n"
      "  evencube topology --machine \"numa:2 core:4 pu:2\"\n"
      "  evencube topology --topology fibonacci-composite:16");
  command->callback([arguments] { refusals_as_usage_errors([&] { show(*arguments); }); });
}

}  // namespace evencube::cli
