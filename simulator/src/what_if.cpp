#include <evencube/simulator/what_if.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "text.hpp"

namespace evencube::simulator {
namespace {

struct happening {
  std::uint64_t time;
  std::uint64_t until;  // of a wait
  task_id child;        // of a wait: the group, or no_task
  bool waits;
};

constexpr const char* stealing = "random_stealing";

/// What idle workers do between rounds, as a strategy that plans it.
class with_idle_workers final : public balancer {
 public:
  /// Null: random stealing.
  explicit with_idle_workers(const balancer* rounds) : rounds_(rounds) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return rounds_ != nullptr ? rounds_->name() : stealing;
  }

  void make_plan(const balance_request& request, plan& out) const override {
    if (rounds_ != nullptr) {
      rounds_->make_plan(request, out);
    } else {
      out.phases.clear();
    }
    std::vector<load_type> left(request.loads.begin(), request.loads.end());
    std::vector<bool> served(left.size());
    for (const phase& one : out.phases) {
      for (const transfer& t : one) {
        left[t.from] -= t.quanta;
        left[t.to] += t.quanta;
        served[t.to] = true;
      }
    }
    phase pulled;
    std::uint64_t random = request.seed | 1;
    for (node_id k = 0; k < left.size(); ++k) {
      if (request.loads[k] != 0 || served[k] || left[k] != 0) continue;
      const std::optional<transfer> t =
          rounds_ != nullptr ? pull(request.graph, left, k) : steal(left, k, random);
      if (!t) continue;
      left[t->from] -= t->quanta;
      left[t->to] += t->quanta;
      pulled.push_back(*t);
    }
    // One transfer per node and phase: each pull is a phase of its own.
    for (const transfer& t : pulled) out.phases.push_back({t});
  }

 private:
  /// What the pair rule gives a worker without load; the task that the neighbour runs stays.
  static std::optional<transfer> pull(const topology& graph, const std::vector<load_type>& loads,
                                      node_id k) {
    std::optional<transfer> found;
    graph.for_each_neighbour(k, [&](node_id other) {
      if (found || loads[other] < 2) return;
      load_type share = loads[other] / 2;
      if (loads[other] % 2 != 0 && (share % 2 != 0) == (k > other)) ++share;
      found = transfer{other, k, std::min(share, loads[other] - 1)};
    });
    return found;
  }

  /// As many attempts as the runtime makes.
  static std::optional<transfer> steal(const std::vector<load_type>& loads, node_id k,
                                       std::uint64_t& random) {
    for (std::size_t attempt = 0; attempt < 2 * loads.size(); ++attempt) {
      random = std::rotl(random * 0x9E3779B97F4A7C15 + 1, 29);
      const auto other = static_cast<node_id>(random % loads.size());
      if (other != k && loads[other] >= 2) return transfer{other, k, 1};
    }
    return std::nullopt;
  }

  const balancer* rounds_;
};

std::unique_ptr<balancer> planner(const std::string& name, const balancer_options& options) {
  if (name != stealing) return make_balancer(name, options);
  if (!options.empty()) throw std::invalid_argument("random_stealing has no options");
  return nullptr;
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
  constexpr double second = 1e-9;
  for (task_id i = 0; i < count; ++i) {
    const trace::task& t = recorded.tasks[i];
    auto& order = within[i];
    // At one instant spawns come first: a wait is for what was spawned.
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
    steps.push_back({static_cast<double>(end - now) * second, no_task, task_graph::action::end});
    made.add(steps);
    // A task at home where it is spawned follows its spawner.
    made.place(i, t.home == t.spawned_by ? task_graph::no_home : t.home, t.group);
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
  made.transmission = parse_transmission(recorded.transmission);
  made.topology = recorded.topology;
  made.capacities = recorded.capacities;
  return made;
}

result replay(const task_graph& program, const what_if& configuration, std::uint64_t seed) {
  const topology graph = topology::parse(configuration.topology);
  const auto rounds = planner(configuration.balancer, configuration.options);
  const with_idle_workers strategy(rounds.get());
  model m;
  m.graph = &graph;
  m.order = queue_order::lifo;
  m.program = &program;
  m.speeds = configuration.capacities;
  m.links = {.latency = configuration.latency, .per_quantum = configuration.per_quantum};
  if (configuration.balancer != "none" && graph.nodes() > 1) {
    m.balance.strategy = &strategy;
    m.balance.when = {.which = trigger::kind::idle, .gap = configuration.latency};
    m.balance.transmission = configuration.transmission;
  }
  const result replayed = simulate(m, seed);
  if (replayed.completed != program.size()) {
    throw std::invalid_argument(
        "the program never ends: " + std::to_string(program.size() - replayed.completed) +
        " of its tasks wait for each other");
  }
  return replayed;
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
  const auto strategy = planner(recorded.balancer, recorded.options);
  round_check found;
  if (strategy == nullptr) return found;
  plan again;
  for (std::size_t i = 0; i < recorded.rounds.size(); ++i) {
    const trace::round& r = recorded.rounds[i];
    strategy->make_plan({.graph = graph,
                         .loads = r.loads,
                         .capacities = r.capacities,
                         .seed = r.seed,
                         .initiator = r.initiator,
                         .service_times = r.service_times},
                        again);
    ++found.rounds;
    if (hash_of(again) == hash_of(r.planned)) {
      ++found.equal;
    } else {
      found.different.push_back(i);
    }
  }
  return found;
}

std::vector<std::string> explain(const trace& recorded, task_id task) {
  if (task >= recorded.tasks.size()) {
    throw std::invalid_argument("there is no task " + std::to_string(task) + ", the trace has " +
                                std::to_string(recorded.tasks.size()));
  }
  const auto when = [](std::uint64_t time) {
    return fixed(static_cast<double>(time) * 1e-6, 3) + " ms: ";
  };
  const trace::task& t = recorded.tasks[task];
  std::vector<std::string> lines;
  lines.push_back(when(t.spawned) + "spawned " +
                  (t.parent == no_task ? "from outside at worker "
                                       : "by task " + std::to_string(t.parent) + " on worker ") +
                  std::to_string(t.spawned_by));
  for (const trace::migration& m : recorded.migrations) {
    if (m.moved != task) continue;
    std::string line = when(m.time) + "moved from worker " + std::to_string(m.from) +
                       " to worker " + std::to_string(m.to);
    if (m.round == trace::migration::unplanned) {
      lines.push_back(line + ", taken by the receiver itself when it ran dry");
      continue;
    }
    const trace::round& r = recorded.rounds[m.round];
    line += " by round " + std::to_string(m.round) + " of " + recorded.balancer;
    // The phases up to the transfer show what both workers held when it was decided.
    std::vector<load_type> loads = r.loads;
    std::size_t number = 0;
    bool named = false;
    for (const phase& one : r.planned.phases) {
      const auto found = std::find_if(one.begin(), one.end(), [&](const transfer& x) {
        return x.from == m.from && x.to == m.to;
      });
      if (found != one.end()) {
        line += ", phase " + std::to_string(number) + ": loads " + std::to_string(loads[m.from]) +
                " and " + std::to_string(loads[m.to]) + ", " + std::to_string(found->quanta) +
                " to move";
        named = true;
        break;
      }
      for (const transfer& x : one) {
        loads[x.from] -= x.quanta;
        loads[x.to] += x.quanta;
      }
      ++number;
    }
    if (!named) {
      line += ": the net of its phases, loads " + std::to_string(r.loads[m.from]) + " and " +
              std::to_string(r.loads[m.to]);
    }
    lines.push_back(line);
  }
  lines.push_back(when(t.started) + "started on worker " + std::to_string(t.worker));
  lines.push_back(when(t.ended) + "ended");
  return lines;
}

}  // namespace evencube::simulator
