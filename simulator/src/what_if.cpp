#include <evencube/simulator/what_if.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "on_threads.hpp"
#include "text.hpp"

namespace evencube::simulator {
namespace {

struct happening {
  std::uint64_t time;
  std::uint64_t until;  // of a wait
  task_id child;        // of a wait: the group, or no_task
  bool waits;
};

/// How long a worker of the runtime looks for work before it sleeps.
constexpr double sleeps_after = 20e-6;
/// From this length on, the runtime takes tasks one by one and begins the largest first.
constexpr double long_task = 4e-6;

/// A nanosecond, the unit of traces.
constexpr double second = 1e-9;

/// The shortest time that a clock of nanoseconds can show.
constexpr double shortest_gap = 1e-9;

/// A clock that calls more often than this takes minutes.
constexpr std::uint64_t most_calls = 10'000'000;

/// Refuses, before it begins, a replay that surely takes too long: no program takes less time than
/// its demand shared among all nodes.
void require_few_calls(const task_graph& program, const what_if& configuration, node_id nodes) {
  double speed = nodes;
  if (!configuration.capacities.empty()) {
    speed = std::accumulate(configuration.capacities.begin(), configuration.capacities.end(), 0.0);
  }
  double least = program.total_demand() / speed;
  for (const task_graph::root& r : program.roots()) least = std::max(least, r.time);
  if (least / configuration.period > static_cast<double>(most_calls)) {
    throw std::invalid_argument("the period is " + shortest(configuration.period) +
                                " s, and the program takes at least " + shortest(least) +
                                " s: at most " + std::to_string(most_calls) +
                                " rounds may be called by the clock");
  }
}

/// Converts the name of a transmission as runtimes have it. It may be "pipelined:N", whose batches
/// a replay does not know.
transmission transmission_of(const std::string& text) {
  const auto name = to_string(transmission::pipelined);
  const bool batched = text.size() > name.size() + 1 && text.starts_with(name) &&
                       text[name.size()] == ':' &&
                       text.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
  return batched ? transmission::pipelined : parse_transmission(text);
}

/// The time that the machine takes from the end of a task to the beginning of the next one that
/// waits in the same queue: the median over the trace, or the separately measured time if there are
/// few samples.
double dispatch_of(const trace& recorded) {
  constexpr std::size_t few = 16;
  struct boundary {
    std::uint64_t time;
    int kind;  // order of those at one instant: an end first, a start last
    task_id task;

    auto operator<=>(const boundary&) const = default;
  };
  constexpr int ended = 0;
  constexpr int resting = 1;
  constexpr int started = 2;
  const std::vector<trace::task>& tasks = recorded.tasks;
  std::vector<std::vector<boundary>> on(topology::parse(recorded.topology).nodes());
  // The time since when each task was in the queue from which it started.
  std::vector<std::uint64_t> there;
  for (task_id i = 0; i < tasks.size(); ++i) {
    there.push_back(tasks[i].spawned);
    on[tasks[i].worker].push_back({tasks[i].started, started, i});
    on[tasks[i].worker].push_back({tasks[i].ended, ended, i});
  }
  for (const trace::wait& w : recorded.waits) {
    on[tasks[w.waiting].worker].push_back({w.began, resting, w.waiting});
    on[tasks[w.waiting].worker].push_back({w.ended, resting, w.waiting});
  }
  for (const trace::migration& m : recorded.migrations) {
    there[m.moved] = std::max(there[m.moved], m.time);
  }
  std::vector<std::uint64_t> gaps;
  for (auto& of_worker : on) {
    std::ranges::sort(of_worker);
    for (std::size_t i = 1; i < of_worker.size(); ++i) {
      const boundary& before = of_worker[i - 1];
      const boundary& next = of_worker[i];
      if (before.kind == ended && next.kind == started && there[next.task] <= before.time) {
        gaps.push_back(next.time - before.time);
      }
    }
  }
  if (gaps.size() < few) return recorded.costs.costs.receive;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return static_cast<double>(*middle) * 1e-9;
}

}  // namespace

task_graph program_of(const trace& recorded) {
  validate(recorded);
  const std::size_t count = recorded.tasks.size();
  std::vector<std::vector<happening>> within(count);
  std::vector<task_id> outside;
  for (task_id i = 0; i < count; ++i) {
    const trace::task& t = recorded.tasks[i];
    if (t.parent == no_task) {
      outside.push_back(i);
    } else {
      within[t.parent].push_back({t.spawned, t.spawned, i, false});
    }
  }
  for (const trace::wait& w : recorded.waits) {
    within[w.waiting].push_back({w.began, w.ended, w.group, true});
  }
  task_graph made;
  std::vector<task_graph::step> steps;
  const double dispatch = dispatch_of(recorded);
  for (task_id i = 0; i < count; ++i) {
    const trace::task& t = recorded.tasks[i];
    auto& order = within[i];
    // At one instant, spawns come first, because a wait is for tasks that were spawned.
    std::sort(order.begin(), order.end(), [](const happening& a, const happening& b) {
      if (a.time != b.time) return a.time < b.time;
      return a.waits != b.waits ? b.waits : a.child < b.child;
    });
    steps.clear();
    std::uint64_t now = t.started;
    for (const happening& h : order) {
      const std::uint64_t from =
          std::max(now, h.time);  // spawned within a wait: as soon as it ends
      const double demand = static_cast<double>(from - now) * second;
      steps.push_back(
          {demand, h.child, h.waits ? task_graph::action::wait : task_graph::action::spawn});
      now = std::max(from, h.until);
    }
    const std::uint64_t end = std::max(now, t.ended);
    steps.push_back(
        {static_cast<double>(end - now) * second + dispatch, no_task, task_graph::action::end});
    made.add(steps);
    // A task whose home is where it is spawned follows its spawner.
    made.place(i, t.home == t.spawned_by ? task_graph::no_home : t.home, t.group);
    made.weigh(i, t.cost);
  }
  std::stable_sort(outside.begin(), outside.end(), [&](task_id a, task_id b) {
    return recorded.tasks[a].spawned < recorded.tasks[b].spawned;
  });
  for (const task_id i : outside) {
    const trace::task& t = recorded.tasks[i];
    made.add_root({static_cast<double>(t.spawned) * second, t.spawned_by, i});
  }
  return made;
}

what_if recorded_configuration(const trace& recorded) {
  what_if made;
  made.balancer = recorded.balancer;
  made.options = recorded.options;
  made.transmission = transmission_of(recorded.transmission);
  made.rounds = recorded.mode != "on_demand";
  made.by_thread = recorded.mode == "thread";
  if (made.by_thread) made.period = static_cast<double>(recorded.period) * second;
  made.threshold = recorded.threshold;
  made.pulls = recorded.pulls;
  made.largest_first = recorded.largest_first;
  made.topology = recorded.topology;
  made.capacities = recorded.capacities;
  made.costs = recorded.costs;
  return made;
}

result replay(const task_graph& program, const what_if& configuration, std::uint64_t seed,
              ledger* kept) {
  const topology graph = topology::parse(configuration.topology);
  const bool long_tasks = program.total_demand() >= long_task * program.size();
  const on_threads strategy(configuration.balancer.name(),
                            chosen_options(configuration.balancer, configuration.options),
                            {.threshold = configuration.threshold,
                             .pulls = configuration.pulls,
                             .long_tasks = long_tasks,
                             .speeds_known = configuration.speeds_known});
  const machine_costs& paid = configuration.costs;
  model m;
  m.graph = &graph;
  m.order = configuration.largest_first && long_tasks && !strategy.keeps_order()
                ? queue_order::largest_first
                : queue_order::lifo;
  m.program = &program;
  m.speeds = configuration.capacities;
  // The leader of a round moves every task itself, out of one queue and into the other.
  m.links.per_quantum =
      paid.links.per_quantum + paid.costs.transfer_send + paid.costs.transfer_receive;
  m.distance = configuration.distance;
  m.sleep = {.after = sleeps_after, .wake = paid.links.latency};
  const bool moves = configuration.rounds || configuration.pulls;
  if (configuration.balancer != "none" && moves && graph.nodes() > 1) {
    m.costs.measure = paid.costs.measure;
    m.balance.strategy = &strategy;
    m.balance.rounds = configuration.rounds && !strategy.steals();
    m.balance.idle_nodes_act = configuration.pulls && !strategy.keeps_order();
    m.balance.draws = strategy.steals();
    m.balance.when = {.which = trigger::kind::idle,
                      .gap = std::max(paid.costs.measure, shortest_gap)};
    if (strategy.event_driven() || configuration.by_thread) {
      m.balance.when.high = strategy.calls_above(configuration.threshold);
    }
    if (configuration.by_thread && configuration.period > 0) {
      require_few_calls(program, configuration, graph.nodes());
      m.balance.when.period = configuration.period;
      m.balance.when.most_calls = most_calls;
    }
    // Ranks have no common board of loads, so they exchange messages.
    m.balance.informed = m.distance.latency > 0 ? information::collective : information::shared;
    m.balance.transmission = configuration.transmission;
  }
  observer watch;
  watch.kept = kept;
  const result replayed = simulate(m, seed, watch);
  if (replayed.completed != program.size()) {
    throw std::invalid_argument(
        "the program never ends: " + std::to_string(program.size() - replayed.completed) +
        " of its tasks wait for each other");
  }
  return replayed;
}

void place_groups(task_graph& program, const trace& recorded,
                  const std::function<std::optional<node_id>(std::size_t index)>& home_of) {
  std::vector<task_id> order;
  for (task_id i = 0; i < recorded.tasks.size(); ++i) {
    const trace::task& t = recorded.tasks[i];
    if (t.parent != no_task && t.group != traces::no_group) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](task_id a, task_id b) {
    return std::tie(recorded.tasks[a].spawned, a) < std::tie(recorded.tasks[b].spawned, b);
  });
  std::vector<std::size_t> next(program.groups(), 0);
  for (const task_id i : order) {
    const std::uint32_t group = recorded.tasks[i].group;
    program.place(i, home_of(next[group]++).value_or(task_graph::no_home), group);
  }
}

double forecast_error(const trace& recorded) {
  if (recorded.makespan == 0) throw std::invalid_argument("the trace has no makespan");
  const double real = static_cast<double>(recorded.makespan) * 1e-9;
  const result replayed = replay(program_of(recorded), recorded_configuration(recorded));
  return std::abs(replayed.makespan - real) / real;
}

std::uint64_t hash_of(const plan& planned) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto mix = [&hash](std::uint64_t value) {
    hash = std::rotl((hash ^ value) * 0x9E3779B97F4A7C15, 29);
  };
  for (const phase& one : planned.phases) {
    mix(one.size());
    for (const transfer& t : one) {
      mix(std::uint64_t{t.from} << 32 | t.to);
      mix(static_cast<std::uint64_t>(t.quanta));
    }
  }
  return hash;
}

round_check check_rounds(const trace& recorded) {
  validate(recorded);
  const topology graph = topology::parse(recorded.topology);
  round_check found;
  if (recorded.rounds.empty()) return found;
  const auto strategy = make_balancer(recorded.balancer, recorded.options);
  plan again;
  std::vector<load_type> loads;
  for (std::size_t i = 0; i < recorded.rounds.size(); ++i) {
    const trace::round& r = recorded.rounds[i];
    loads = r.loads;
    for (load_type& load : loads) load /= r.unit;
    strategy->make_plan({.graph = graph,
                         .loads = loads,
                         .capacities = r.capacities,
                         .seed = r.seed,
                         .initiator = r.initiator,
                         .service_times = r.service_times},
                        again);
    ++found.rounds;
    for (phase& one : again.phases) {
      for (transfer& t : one) t.quanta *= r.unit;
    }
    if (hash_of(again) == hash_of(r.planned)) {
      ++found.equal;
    } else {
      found.different.push_back(i);
    }
  }
  return found;
}

}  // namespace evencube::simulator
