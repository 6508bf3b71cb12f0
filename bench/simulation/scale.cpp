// Measures how the simulator scales from 2^3 to 2^20 nodes: events per second with the bucket queue
// and with a heap, bytes per idle node, and for every near-linear balancer a round next to its
// planning.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/papers/reproduction.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/workloads/output_file.hpp>

namespace {

using namespace evencube;
using namespace evencube::simulator;

using json = nlohmann::ordered_json;

struct settings {
  unsigned least = 3;
  unsigned most = 20;
  double events = 4e6;
  unsigned repetitions = 5;
  std::string output;
};

/// The balancers whose plans cost little more than N. Beyond 2^16 nodes, `diffusion` fills the
/// memory, because it names every link in every iteration.
constexpr std::array near_linear{"dem",    "oem",       "cwa",
                                 "hybrid", "diffusion", "sender_initiated",
                                 "rotate", "random",    "receiver_initiated"};
constexpr unsigned most_of_diffusion = 16;

json spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {{"min", values.front()}, {"median", values[values.size() / 2]}, {"max", values.back()}};
}

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Events per second of the M/M/1 array at 70 % over about `events` events; filling it up does not
/// count.
json event_rate(const topology& graph, const settings& s, bool heap) {
  model m;
  m.graph = &graph;
  m.arrivals = {.which = arrival_process::kind::poisson, .rate = 0.7};
  m.horizon = s.events / (1.4 * graph.nodes());
  std::vector<double> rates;
  for (unsigned i = 0; i <= s.repetitions; ++i) {
    result r;
    const double time = seconds([&] { r = heap ? simulate_with_heap(m, 1) : simulate(m, 1); });
    if (i > 0) rates.push_back(static_cast<double>(r.events) / time);  // the first is warm-up
  }
  return spread(rates);
}

double idle_bytes(const topology& graph) {
  model m;
  m.graph = &graph;
  m.arrivals = {.which = arrival_process::kind::poisson, .rate = 0.01};
  m.horizon = 1;
  return static_cast<double>(simulate(m, 1).memory_bytes) / graph.nodes();
}

/// Passes plans on and records how long planning took.
class timed_balancer final : public balancer {
 public:
  explicit timed_balancer(std::string_view name) : inner_(make_balancer(name)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  void make_plan(const balance_request& request, plan& out) const override {
    took_ += seconds([&] { inner_->make_plan(request, out); });
  }
  /// Seconds of planning since the last call.
  [[nodiscard]] double took() const noexcept { return std::exchange(took_, 0.0); }

 private:
  std::unique_ptr<balancer> inner_;
  mutable double took_ = 0;
};

/// Seconds for `runs` simulations, each of which ends after `events` events.
double seconds_until(const model& m, std::uint64_t events, unsigned runs) {
  observer watch;
  watch.stride = 1;
  watch.progress = [events](double, std::uint64_t count) { return count < events; };
  return seconds([&] {
    for (unsigned i = 0; i < runs; ++i) (void)simulate(m, 1, watch);
  });
}

/// The cost of a held round to a simulation with loads 0 .. 20: stopping, reading the loads,
/// planning, moving and starting again, next to the planning in that very round. The cost of
/// setting up the machine and its event queue is subtracted.
json round_cost(const topology& graph, const settings& s, std::string_view strategy,
                const distribution& service) {
  const timed_balancer planner(strategy);
  model m;
  m.graph = &graph;
  m.service = service;
  m.warm_up = 1e-9;  // an event that does nothing
  random_stream random(1, random_purpose::sampling, 0);
  for (node_id k = 0; k < graph.nodes(); ++k) {
    m.initial.push_back(static_cast<load_type>(random.below(21)));
  }
  // Small machines run many times, so that the clock can measure them.
  const unsigned runs = std::max(1U, 262'144U / graph.nodes());
  std::vector<double> plans;
  std::vector<double> rounds;
  std::vector<double> ratios;
  for (unsigned i = 0; i <= s.repetitions; ++i) {
    m.balance = {};
    const double without = seconds_until(m, 1, runs);
    m.balance.strategy = &planner;
    m.balance.when.which = trigger::kind::start;
    m.balance.held = true;
    const double with = seconds_until(m, 2, runs);  // the decision and the round's end
    const double planning = planner.took();
    if (i == 0) continue;
    plans.push_back(planning / runs);
    rounds.push_back((with - without) / runs);
    ratios.push_back((with - without) / planning);
  }
  return {{"plan_seconds", spread(plans)},
          {"round_seconds", spread(rounds)},
          {"ratio", spread(ratios)}};
}

settings read(int count, char** arguments) {
  settings s;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--help" || i + 1 == count) {
      std::cout << "simulation_scale [--least D] [--most D] [--events N] [--repetitions N] "
                   "[--output DIRECTORY]\n";
      std::exit(name == "--help" ? 0 : 2);
    }
    const char* value = arguments[++i];
    if (name == "--least") {
      s.least = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--most") {
      s.most = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--events") {
      s.events = std::strtod(value, nullptr);
    } else if (name == "--output") {
      s.output = value;
    } else if (name == "--repetitions") {
      s.repetitions = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else {
      std::cerr << "simulation_scale: unknown option " << name << '\n';
      std::exit(2);
    }
  }
  if (s.least > s.most || s.most > 24 || s.events < 1 || s.repetitions < 1) {
    std::cerr << "simulation_scale: 0 <= least <= most <= 24, events >= 1, repetitions >= 1\n";
    std::exit(2);
  }
  return s;
}

/// Writes the results as CSV files with a list of pictures, for papers/tools/plot_reproduction.py.
void write_pictures(const json& sizes, const std::string& directory) {
  papers::reproduction all;
  all.id = "simulation-scale";
  papers::data_table queue{"events", {"nodes", "bucket queue", "heap"}, {}};
  papers::data_table memory{"memory", {"nodes", "bytes per idle node"}, {}};
  papers::data_table rounds{
      "rounds", {"nodes", "balancer", "planning ns", "round ns", "ratio"}, {}};
  const auto text = [](const json& value) { return value.dump(); };
  for (const json& size : sizes) {
    const std::string nodes = text(size["nodes"]);
    const auto millions = [&](const char* which) {
      return std::to_string(size[which]["median"].get<double>() / 1e6);
    };
    queue.rows.push_back(
        {nodes, millions("events_per_second"), millions("events_per_second_heap")});
    memory.rows.push_back({nodes, text(size["bytes_per_idle_node"])});
    for (const auto& [name, cost] : size["rounds"].items()) {
      const auto per_node = [&, &times = cost](const char* which) {
        return std::to_string(times[which]["median"].get<double>() * 1e9 /
                              size["nodes"].get<double>());
      };
      rounds.rows.push_back({nodes, name, per_node("plan_seconds"), per_node("round_seconds"),
                             text(cost["ratio"]["median"])});
    }
  }
  all.tables = {queue, memory, rounds};
  const auto draw = [&](const char* name, const char* title, const char* table,
                        std::vector<std::string> y, const char* series, const char* label,
                        bool log_y) {
    all.pictures.push_back(
        {name, title, table, "nodes", std::move(y), series, "nodes", label, false, true, log_y});
  };
  draw("event-rate", "M/M/1 array at 70 %", "events", {"bucket queue", "heap"}, "",
       "million events per second", false);
  draw("memory", "Memory of the M/M/1 array, nearly idle", "memory", {"bytes per idle node"}, "",
       "bytes per node", false);
  draw("planning", "Planning within a simulated round", "rounds", {"planning ns"}, "balancer",
       "ns per node", true);
  draw("round", "A simulated round, planning included", "rounds", {"round ns"}, "balancer",
       "ns per node", true);
  workloads::replace_folder(directory, files_of(all), papers::reproduction_endings);
}

}  // namespace

int main(int count, char** arguments) {
  const settings s = read(count, arguments);
  json sizes = json::array();
  for (unsigned d = s.least; d <= s.most; ++d) {
    const topology graph = topology::hypercube(d);
    json rounds = json::object();
    for (const std::string name : near_linear) {
      if (name == "diffusion" && d > most_of_diffusion) continue;
      rounds[name] = round_cost(graph, s, name, distribution::constant(1));
    }
    sizes.push_back({{"nodes", graph.nodes()},
                     {"events_per_second", event_rate(graph, s, false)},
                     {"events_per_second_heap", event_rate(graph, s, true)},
                     {"bytes_per_idle_node", idle_bytes(graph)},
                     {"rounds", std::move(rounds)},
                     {"dem_round_of_different_tasks",
                      round_cost(graph, s, "dem", distribution::exponential(1))}});
    if (s.output.empty()) continue;
    write_pictures(sizes, s.output);  // after each size, so that a stopped run leaves something
  }
  if (!s.output.empty()) {
    std::cerr << "to draw: python3 papers/tools/plot_reproduction.py " << s.output << '\n';
  }
  std::cout << json{{"bench", "simulation_scale"},
                    {"compiler", __VERSION__},
                    {"repetitions", s.repetitions},
                    {"targets",
                     {{"events_per_second", ">= 5e6"},
                      {"bytes_per_idle_node", "<= 200"},
                      {"rounds.dem.ratio", "<= 4"}}},
                    {"sizes", std::move(sizes)}}
                   .dump()
            << '\n';
}
