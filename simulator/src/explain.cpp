#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

#include <evencube/simulator/what_if.hpp>

#include "on_threads.hpp"
#include "text.hpp"

namespace evencube::simulator {
namespace {

/// One transfer of a plan, with the loads of both ends when its phase began.
struct hop {
  std::size_t phase = 0;
  transfer moved;
  load_type giver = 0;
  load_type taker = 0;
};

/// The transfers, in the order of their phases, over which quanta came from one worker to another.
/// Empty if there is no such path in the plan.
std::vector<hop> way_through(const trace::round& round, node_id from, node_id to) {
  std::vector<load_type> loads = round.loads;
  // The hop by which each worker was reached first.
  std::vector<std::optional<hop>> reached(loads.size());
  for (std::size_t p = 0; p < round.planned.phases.size() && !reached[to]; ++p) {
    const phase& one = round.planned.phases[p];
    std::vector<hop> next;
    for (const transfer& t : one) {
      const bool known = t.from == from || reached[t.from].has_value();
      if (known && t.to != from && !reached[t.to] && t.quanta > 0) {
        next.push_back({p, t, loads[t.from], loads[t.to]});
      }
    }
    for (const hop& h : next) {
      if (!reached[h.moved.to]) reached[h.moved.to] = h;
    }
    for (const transfer& t : one) {
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
  }
  std::vector<hop> way;
  if (!reached[to]) return way;
  for (node_id at = to; at != from; at = way.back().moved.from) way.push_back(*reached[at]);
  std::reverse(way.begin(), way.end());
  return way;
}

std::string worker(node_id k) { return "worker " + std::to_string(k); }

/// Returns ", dimension i" for a link of a cube.
std::string dimension_of(const topology& graph, node_id a, node_id b) {
  if (!graph.is_cube() || !std::has_single_bit(a ^ b)) return {};
  return ", dimension " + std::to_string(std::countr_zero(a ^ b));
}

std::string both(load_type giver, load_type taker) {
  return "loads " + std::to_string(giver) + " and " + std::to_string(taker);
}

/// The number of tasks that every worker held just before a migration: those in its queue and the
/// one that it ran.
std::vector<load_type> loads_before(const trace& recorded, std::size_t number) {
  const trace::migration& at = recorded.migrations[number];
  std::vector<node_id> place;
  for (const trace::task& t : recorded.tasks) {
    place.push_back(t.home == task_graph::no_home ? t.spawned_by : t.home);
  }
  for (std::size_t i = 0; i < recorded.migrations.size(); ++i) {
    const trace::migration& m = recorded.migrations[i];
    if (std::pair(m.time, i) < std::pair(at.time, number)) place[m.moved] = m.to;
  }
  std::vector<bool> waits(recorded.tasks.size());
  for (const trace::wait& w : recorded.waits) {
    if (w.began <= at.time && at.time < w.ended) waits[w.waiting] = true;
  }
  std::vector<load_type> loads(topology::parse(recorded.topology).nodes());
  std::vector<bool> busy(loads.size());
  for (task_id i = 0; i < recorded.tasks.size(); ++i) {
    const trace::task& t = recorded.tasks[i];
    if (t.spawned <= at.time && at.time < t.started) ++loads[place[i]];
    if (t.started <= at.time && at.time < t.ended && !waits[i]) busy[t.worker] = true;
  }
  for (std::size_t k = 0; k < loads.size(); ++k) loads[k] += busy[k] ? 1 : 0;
  return loads;
}

/// The rule of a strategy in one line, in brackets.
std::string rule_of(const std::string& balancer) {
  for (const balancer_descriptor& about : registered_balancers()) {
    if (about.name == balancer) return " (" + about.summary + ")";
  }
  return {};
}

std::string why_planned(const trace& recorded, const topology& graph, const trace::migration& m) {
  const trace::round& r = recorded.rounds[m.round];
  std::string text = " by round " + std::to_string(m.round) + " of " + recorded.balancer;
  if (r.initiator) text += ", the activation of " + worker(*r.initiator);
  if (r.leader) text += ", led by " + worker(*r.leader);
  const std::vector<hop> way = way_through(r, m.from, m.to);
  if (way.empty()) {
    text += ": the net of its phases" + dimension_of(graph, m.from, m.to) + ", " +
            both(r.loads[m.from], r.loads[m.to]);
  }
  for (const hop& h : way) {
    text += &h == &way.front() ? ": " : "; ";
    text += "phase " + std::to_string(h.phase) + dimension_of(graph, h.moved.from, h.moved.to);
    if (way.size() > 1) {
      text += ", " + worker(h.moved.from) + " to " + worker(h.moved.to);
    }
    text += ", " + both(h.giver, h.taker) + ", " + std::to_string(h.moved.quanta) + " to move";
  }
  return text + rule_of(recorded.balancer);
}

/// The first of the tasks that the receiver took together with this one. It has started none since
/// it ran dry.
std::size_t first_taken(const trace& recorded, std::size_t number) {
  const trace::migration& last = recorded.migrations[number];
  std::uint64_t dry_since = 0;
  for (const trace::task& t : recorded.tasks) {
    if (t.worker == last.to && t.started <= last.time) {
      dry_since = std::max(dry_since, t.started);
    }
  }
  std::size_t first = number;
  for (std::size_t i = 0; i < recorded.migrations.size(); ++i) {
    const trace::migration& m = recorded.migrations[i];
    if (m.round == last.round && m.from == last.from && m.to == last.to && m.time >= dry_since &&
        std::pair(m.time, i) < std::pair(recorded.migrations[first].time, first)) {
      first = i;
    }
  }
  return first;
}

std::string why_taken(const trace& recorded, const topology& graph, std::size_t number) {
  const trace::migration& m = recorded.migrations[number];
  const std::vector<load_type> loads = loads_before(recorded, first_taken(recorded, number));
  const std::string dimension = dimension_of(graph, m.from, m.to);
  if (m.round == trace::migration::rescued) {
    return ", rescued: nobody looked after it there" + dimension + ", " +
           both(loads[m.from], loads[m.to]);
  }
  std::string text = ", taken by the receiver itself when it ran dry" + dimension + ", " +
                     both(loads[m.from], loads[m.to]);
  if (recorded.balancer == random_stealing) return text + " (from a worker drawn at random)";
  if (recorded.balancer == "none" || dimension.empty()) {
    return text + " (from a worker that slept in a wait)";
  }
  return text + " (the share that the pair rule gives a worker without load)";
}

}  // namespace

std::vector<std::string> explain(const trace& recorded, task_id task) {
  validate(recorded);
  if (task >= recorded.tasks.size()) {
    throw std::invalid_argument("there is no task " + std::to_string(task) + ", the trace has " +
                                std::to_string(recorded.tasks.size()));
  }
  const topology graph = topology::parse(recorded.topology);
  const auto when = [](std::uint64_t time) {
    return fixed(static_cast<double>(time) * 1e-6, 3) + " ms: ";
  };
  const trace::task& t = recorded.tasks[task];
  std::vector<std::string> lines;
  lines.push_back(
      when(t.spawned) + "spawned " +
      (t.parent == no_task ? "from outside at " : "by task " + std::to_string(t.parent) + " on ") +
      worker(t.spawned_by));
  if (t.home != task_graph::no_home && t.home != t.spawned_by) {
    lines.back() += ", for " + worker(t.home);
  }
  for (std::size_t i = 0; i < recorded.migrations.size(); ++i) {
    const trace::migration& m = recorded.migrations[i];
    if (m.moved != task) continue;
    lines.push_back(when(m.time) + "moved from " + worker(m.from) + " to " + worker(m.to) +
                    (m.round >= trace::migration::rescued ? why_taken(recorded, graph, i)
                                                          : why_planned(recorded, graph, m)));
  }
  lines.push_back(when(t.started) + "started on " + worker(t.worker));
  lines.push_back(when(t.ended) + "ended");
  return lines;
}

}  // namespace evencube::simulator
