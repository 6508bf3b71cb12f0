#include <evencube/simulator/presets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/balancers/registry.hpp>
#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::simulator {
namespace {

scenario begin(const preset_request& request, std::string_view network, std::string_view strategy) {
  scenario made;
  made.graph = std::make_unique<topology>(
      topology::parse(request.topology.empty() ? network : request.topology));
  made.what.graph = made.graph.get();
  if (request.horizon > 0) made.what.horizon = request.horizon;
  const auto name = request.balancer.empty() ? strategy : request.balancer;
  if (!name.empty() && name != "none") {
    made.strategy = make_balancer(name);
    made.what.balance.strategy = made.strategy.get();
  }
  return made;
}

double or_else(double asked, double otherwise) { return asked > 0 ? asked : otherwise; }

/// Sets random arrivals at the requested utilisation. A tenth of the time is for the system to
/// settle.
void offer(model& m, const preset_request& request, double load, double horizon) {
  m.arrivals.which = arrival_process::kind::poisson;
  m.arrivals.rate = or_else(request.load, load) / m.service.mean();
  m.horizon = or_else(request.horizon, horizon);
  m.warm_up = m.horizon / 10;
}

scenario mm1_array(const preset_request& request) {
  scenario made = begin(request, "hypercube:10", "none");
  offer(made.what, request, 0.7, 2000);
  if (made.strategy) {
    made.what.balance.when = {.which = trigger::kind::period, .period = 10};
    made.what.balance.informed = information::neighbours;
  }
  return made;
}

scenario mmc(const preset_request& request) {
  if (!request.balancer.empty() && request.balancer != "none") {
    throw std::invalid_argument(
        "the preset mmc has one central queue: it takes no balancer but none");
  }
  scenario made = begin(request, "complete:16", "none");
  offer(made.what, request, 0.8, 20'000);
  made.what.central_queue = true;
  return made;
}

scenario hot_spot(const preset_request& request) {
  scenario made = begin(request, "hypercube:6", "oem");
  model& m = made.what;
  offer(m, request, 0.6, 2000);
  m.arrivals.which = arrival_process::kind::hot_spot;
  m.arrivals.hot_factor = 8;
  m.arrivals.hot_share = 1.0 / 16;
  m.arrivals.drift = 0.5;
  m.arrivals.rate /= 1 + m.arrivals.hot_share * (m.arrivals.hot_factor - 1);
  m.links = {.latency = 0.001, .per_quantum = 0.001};
  m.balance.when = {.which = trigger::kind::period, .period = 2};
  m.balance.informed = information::neighbours;
  m.sample_period = 1;
  return made;
}

scenario batch(const preset_request& request) {
  scenario made = begin(request, "hypercube:6", "oem");
  model& m = made.what;
  m.initial.assign(made.graph->nodes(), 0);
  m.initial[0] = load_type{64} * made.graph->nodes();
  m.links = {.latency = 0.001, .per_quantum = 0.001};
  m.balance.when = {.which = trigger::kind::start};
  m.balance.held = true;
  return made;
}

/// Runs a program that goes on as tasks end, newest first, and is balanced when a node has nothing
/// to do.
void run_program(scenario& made, task_graph program, double gap) {
  made.program = std::make_unique<task_graph>(std::move(program));
  model& m = made.what;
  m.program = made.program.get();
  m.order = queue_order::lifo;
  m.links = {.latency = 2e-6, .per_quantum = 1e-7};
  m.balance.when = {.which = trigger::kind::idle, .gap = gap};
}

scenario fork_join(const preset_request& request) {
  scenario made = begin(request, "hypercube:4", "oem");
  run_program(made, task_graph::tree(14, 2, distribution::exponential(1e-3), request.seed), 2e-5);
  made.what.balance.informed = information::neighbours;
  made.what.costs.measure = 1e-6;
  return made;
}

/// A tree of `tasks` tasks, as a search meets them. The number of children of a task is drawn from
/// a geometric distribution of mean 4, as in the tree T1 of Unbalanced Tree Search. A task ends
/// when it has spawned its children. The children of task k come after those of the tasks before
/// it.
task_graph search_tree_of(task_id tasks, const distribution& demand, std::uint64_t seed) {
  task_graph made;
  const random_source source(seed);
  const double log_of_more = portable_log(4.0 / 5.0);
  std::vector<task_graph::step> steps;
  task_id known = 1;
  for (task_id k = 0; k < tasks; ++k) {
    const auto u = source.uniforms(random_purpose::arrival, 0, k);
    task_id children = static_cast<task_id>(
        std::min(portable_log(u.second) / log_of_more, static_cast<double>(tasks - known)));
    if (children == 0 && known == k + 1 && known < tasks) children = 1;  // it must not die out
    double computes = demand.sample(u.first, k);
    steps.clear();
    for (task_id i = 0; i < children; ++i) {
      steps.push_back({std::exchange(computes, 0.0), known++, task_graph::action::spawn});
    }
    steps.push_back({computes, no_task, task_graph::action::end});
    made.add(steps);
  }
  made.add_root({0, 0, 0});
  return made;
}

scenario search_tree(const preset_request& request) {
  scenario made = begin(request, "hypercube:4", "oem");
  constexpr std::uint64_t tasks_per_node = 64;
  constexpr std::uint64_t most_tasks = 100'000'000;
  const auto tasks = std::min(tasks_per_node * made.graph->nodes(), most_tasks);
  const auto demand = distribution::exponential(250e-6);
  run_program(made, search_tree_of(static_cast<task_id>(tasks), demand, request.seed), 2e-4);
  made.what.balance.informed = information::collective;
  made.what.balance.transmission = transmission::direct;
  made.what.costs.measure = 1e-7;
  return made;
}

// Rim, Jang, Kim 2003, Section 4: Poisson arrivals, exponential service, FIFO, overload above 50-60
// % utilisation, no change of loads while balancing. The rates and the window are our own choice.
scenario rim_queueing(const preset_request& request) {
  scenario made = begin(request, "hypercube:3", "oem");
  model& m = made.what;
  m.service = distribution::exponential(160);
  offer(m, request, 0.8, 1e6);
  m.balance.when = {.which = trigger::kind::utilisation, .period = 2000, .level = 0.55};
  m.balance.held = true;
  m.links.per_quantum = 1;
  return made;
}

scenario loh(const preset_request& request, bool stable, const loh_reading& reading) {
  scenario made = begin(request, "mesh:4x4", "receiver_initiated");
  model& m = made.what;
  m.service = distribution::uniform(0.2, 0.8);
  m.draw_initial = [stable, nodes = made.graph->nodes()](std::uint64_t seed) {
    return loh_loads(stable, nodes, seed);
  };
  m.costs = loh_costs();
  if (made.strategy) {
    made.strategy = make_loh_balancer(made.strategy->name(), reading);
    m.balance = loh_balancing(*made.strategy, reading);
  }
  return made;
}

constexpr std::array all{
    preset{"mm1-array", "independent M/M/1 queues, 2^10 nodes at 70 %", mm1_array},
    preset{"mmc", "M/M/16: one queue, sixteen servers at 80 %", mmc},
    preset{"hot-spot", "arrivals eight times as dense on a drifting sixteenth of 64 nodes",
           hot_spot},
    preset{"batch", "4096 tasks on one of 64 nodes, one round of balancing", batch},
    preset{"fork-join", "a binary tree of 32767 tasks of 1 ms on 16 nodes, balanced when idle",
           fork_join},
    preset{"search-tree", "64 tasks of 0.25 ms for each of 16 nodes, each known when another ends",
           search_tree},
    preset{"rim-queueing", "Rim et al. 2003, Section 4: queues balanced above 55 % utilisation",
           rim_queueing},
    preset{"loh-stable", "Loh et al. 1996: 1600 tasks at random on 16 nodes, costs 10/10/100 ms",
           [](const preset_request& request) { return loh(request, true, {}); }},
    preset{"loh-unstable", "Loh et al. 1996: the same tasks very unevenly",
           [](const preset_request& request) { return loh(request, false, {}); }},
    preset{"loh-stable-fitted", "the first under the reading that comes nearest to the tables",
           [](const preset_request& request) { return loh(request, true, best_loh_reading); }},
    preset{"loh-unstable-fitted", "the second under the same reading",
           [](const preset_request& request) { return loh(request, false, best_loh_reading); }}};

}  // namespace

std::span<const preset> presets() noexcept { return all; }

scenario make_preset(std::string_view name, const preset_request& request) {
  std::string known;
  for (const preset& p : all) {
    if (p.name == name) return p.make(request);
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  throw std::invalid_argument("unknown preset '" + std::string(name) + "', known: " + known);
}

cost_model loh_costs() noexcept {
  return {.measure = 0.01,
          .send = 0.01,
          .receive = 0.01,
          .transfer_send = 0.1,
          .transfer_receive = 0.1};
}

std::vector<load_type> loh_loads(bool stable, node_id nodes, std::uint64_t seed) {
  random_stream random(seed, random_purpose::placement, 1);
  std::vector<double> upto(nodes);
  double total = 0;
  for (double& bound : upto) bound = total += stable ? 1.0 : random.uniform();
  std::vector<load_type> loads(nodes, 0);
  for (std::uint64_t task = 0; task < std::uint64_t{100} * nodes; ++task) {
    const auto at = std::upper_bound(upto.begin(), upto.end(), random.uniform() * total);
    ++loads[std::min<std::size_t>(static_cast<std::size_t>(at - upto.begin()), nodes - 1)];
  }
  return loads;
}

balancing loh_balancing(const balancer& strategy, const loh_reading& reading) {
  balancing how;
  how.strategy = &strategy;
  const auto name = strategy.name();
  how.by_node = true;
  how.when.which = trigger::kind::threshold;
  how.when.gap = reading.pause;
  how.informed = information::neighbours;
  how.relay = reading.relay;
  how.migrated = migrated_end::newest;
  if (name == "receiver_initiated") {
    how.when.low = reading.low;
  } else if (name == "dispatcher") {
    how.when.low = reading.light;
    how.informed = information::central;
    how.transmission = transmission::direct;
  } else if (name == "prediction") {
    how.by_node = false;
    how.when = {.which = trigger::kind::period, .period = reading.interval};
    how.informed = reading.one_broadcast ? information::announced : information::broadcast;
    how.transmission = transmission::direct;
  } else {
    how.when.high = reading.high;
    if (name == "gradient") {
      how.informed = information::proximity;
      how.light_below = reading.light;
    }
  }
  return how;
}

std::unique_ptr<balancer> make_loh_balancer(std::string_view name, const loh_reading& reading) {
  balancer_options options;
  const balancer_descriptor about = describe_balancer(name);
  const bool asks_neighbours = name == "receiver_initiated";
  for (const option_descriptor& option : about.options) {
    if (option.name == "low") {
      options["low"] = std::to_string(asks_neighbours ? reading.low : reading.light);
    }
    if (option.name == "high") options["high"] = std::to_string(reading.high);
    if (option.name == "index" && reading.predicted) options["index"] = "predicted";
    if (option.name == "rounding") options["rounding"] = std::string(reading.rounding);
    if (option.name != "portion") continue;
    options["portion"] = std::string(name == "gradient"     ? reading.gradient_portion
                                     : name == "dispatcher" ? reading.dispatcher_portion
                                                            : reading.prediction_portion);
  }
  return make_balancer(name, options);
}

}  // namespace evencube::simulator
