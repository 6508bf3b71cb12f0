// How the simulator scales: events per second and bytes per node from 2^3 to 2^20 nodes, with the
// bucket queue and with a heap, and one DEM round against its planning time.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>

namespace {

using namespace evencube;
using namespace evencube::simulator;

using json = nlohmann::ordered_json;

struct settings {
  unsigned least = 3;
  unsigned most = 20;
  double events = 4e6;
  unsigned repetitions = 5;
};

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

/// The M/M/1 array at 70 %, long enough for about `events` events, the fill-up not counted.
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

/// Passes plans on and tells how long they took.
class timed_balancer final : public balancer {
 public:
  explicit timed_balancer(std::string_view name) : inner_(make_balancer(name)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  void make_plan(const balance_request& request, plan& out) const override {
    took_ = seconds([&] { inner_->make_plan(request, out); });
  }
  [[nodiscard]] double took() const noexcept { return took_; }

 private:
  std::unique_ptr<balancer> inner_;
  mutable double took_ = 0;
};

/// How long a simulation takes that ends after so many events.
double seconds_until(const model& m, std::uint64_t events) {
  observer watch;
  watch.stride = 1;
  watch.progress = [events](double, std::uint64_t count) { return count < events; };
  return seconds([&] { (void)simulate(m, 1, watch); });
}

/// A held round on loads 0 .. 20 as it costs a simulation: stopping, reading the loads, planning,
/// moving and starting again, beside the planning in that very round. What it costs to set up the
/// machine and its event queue is subtracted.
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
  std::vector<double> plans;
  std::vector<double> rounds;
  std::vector<double> ratios;
  for (unsigned i = 0; i <= s.repetitions; ++i) {
    m.balance = {};
    const double without = seconds_until(m, 1);
    m.balance.strategy = &planner;
    m.balance.when.which = trigger::kind::start;
    m.balance.held = true;
    const double with = seconds_until(m, 2);  // the decision and the end of the round
    if (i == 0) continue;
    plans.push_back(planner.took());
    rounds.push_back(with - without);
    ratios.push_back((with - without) / planner.took());
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
      std::cout << "simulation_scale [--least D] [--most D] [--events N] [--repetitions N]\n";
      std::exit(name == "--help" ? 0 : 2);
    }
    const char* value = arguments[++i];
    if (name == "--least") {
      s.least = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--most") {
      s.most = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "--events") {
      s.events = std::strtod(value, nullptr);
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

}  // namespace

int main(int count, char** arguments) {
  const settings s = read(count, arguments);
  json sizes = json::array();
  for (unsigned d = s.least; d <= s.most; ++d) {
    const topology graph = topology::hypercube(d);
    sizes.push_back({{"nodes", graph.nodes()},
                     {"events_per_second", event_rate(graph, s, false)},
                     {"events_per_second_heap", event_rate(graph, s, true)},
                     {"bytes_per_idle_node", idle_bytes(graph)},
                     {"dem_round", round_cost(graph, s, "dem", distribution::constant(1))},
                     {"dem_round_of_different_tasks",
                      round_cost(graph, s, "dem", distribution::exponential(1))}});
  }
  std::cout << json{{"bench", "simulation_scale"},
                    {"compiler", __VERSION__},
                    {"repetitions", s.repetitions},
                    {"sizes", std::move(sizes)}}
                   .dump()
            << '\n';
}
