#include <algorithm>
#include <cmath>
#include <cstdint>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/number_text.hpp>
#include <evencube/trace/trace.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "trace_costs.hpp"

namespace evencube::traces {
namespace {

using detail::shortest;

[[noreturn]] void refuse(const char* kind, std::size_t index, const std::string& what) {
  throw std::invalid_argument(std::string(kind) + " " + std::to_string(index) + " " + what);
}

void validate_head(const trace& recorded, std::size_t workers) {
  if (!recorded.capacities.empty() && recorded.capacities.size() != workers) {
    throw std::invalid_argument("there are " + std::to_string(recorded.capacities.size()) +
                                " capacities for " + std::to_string(workers) + " workers");
  }
  for (std::size_t i = 0; i < recorded.capacities.size(); ++i) {
    const double capacity = recorded.capacities[i];
    if (std::isfinite(capacity) && capacity > 0) continue;
    refuse("capacity", i, "is " + shortest(capacity) + ": it must be finite and > 0");
  }
  machine_costs costs = recorded.costs;
  for (const cost_entry& e : cost_entries) {
    if (std::isfinite(e.in(costs)) && e.in(costs) >= 0) continue;
    throw std::invalid_argument(std::string("the cost ") + e.name + " is " + shortest(e.in(costs)) +
                                ": it must be finite and >= 0");
  }
  if (recorded.makespan > latest_trace_time) {
    throw std::invalid_argument("the makespan is " + std::to_string(recorded.makespan) +
                                " ns, at most " + std::to_string(latest_trace_time) +
                                " are allowed");
  }
  if (recorded.mode != "thread" && recorded.mode != "on_idle" && recorded.mode != "on_demand") {
    throw std::invalid_argument("the mode is \"" + recorded.mode +
                                "\": it must be thread, on_idle or on_demand");
  }
  if (recorded.period != 0 && recorded.mode != "thread") {
    throw std::invalid_argument("the period is " + std::to_string(recorded.period) +
                                " ns: only a thread that plans has a clock, and the mode is " +
                                recorded.mode);
  }
  if (recorded.period > latest_trace_time) {
    throw std::invalid_argument("the period is " + std::to_string(recorded.period) +
                                " ns: at most " + std::to_string(latest_trace_time) +
                                " are allowed");
  }
  if (recorded.threshold < 0) {
    throw std::invalid_argument("the threshold is " + std::to_string(recorded.threshold) +
                                ": it must be >= 0");
  }
  if (recorded.balancer == random_stealing && !recorded.pulls) {
    throw std::invalid_argument(recorded.balancer + " moves by pulls alone, but they are off");
  }
  if (recorded.balancer == random_stealing && !recorded.rounds.empty()) {
    throw std::invalid_argument(recorded.balancer + " plans nothing, but there are " +
                                std::to_string(recorded.rounds.size()) + " rounds");
  }
}

void validate_task(const trace& recorded, std::size_t i, std::size_t workers) {
  const std::size_t count = recorded.tasks.size();
  const trace::task& t = recorded.tasks[i];
  if (t.parent != no_task && (t.parent >= count || t.parent == i)) {
    refuse("task", i, "has the parent " + std::to_string(t.parent));
  }
  if (t.worker >= workers || t.spawned_by >= workers || (t.home != no_home && t.home >= workers)) {
    refuse("task", i, "names no worker");
  }
  if (t.group != no_group && t.group >= count) refuse("task", i, "has no group");
  if (t.name != no_name && t.name >= recorded.names.size()) refuse("task", i, "has no name");
  if (t.cost < 1 || t.cost > most_task_cost) {
    refuse("task", i,
           "counts for " + std::to_string(t.cost) + " quanta: at least 1, at most " +
               std::to_string(most_task_cost) + " are allowed");
  }
  if (t.started < t.spawned || t.ended < t.started) refuse("task", i, "has times out of order");
  if (t.ended > recorded.makespan) refuse("task", i, "ends after the makespan");
  if (t.parent != no_task && (t.spawned < recorded.tasks[t.parent].started ||
                              t.spawned > recorded.tasks[t.parent].ended)) {
    refuse("task", i, "was spawned while its parent did not run");
  }
}

/// Tasks that begin and end at the same instant could be each other's parent as far as their times
/// tell. So every chain of parents is followed, but only once: a task that was met from an earlier
/// start leads to the outside.
void validate_ancestry(const std::vector<trace::task>& tasks) {
  std::vector<task_id> met_from(tasks.size(), no_task);
  for (task_id i = 0; i < tasks.size(); ++i) {
    task_id at = i;
    for (; at != no_task && met_from[at] == no_task; at = tasks[at].parent) met_from[at] = i;
    if (at != no_task && met_from[at] == i) refuse("task", at, "descends from itself");
  }
}

void validate_waits(const trace& recorded) {
  std::vector<bool> has_tasks(recorded.tasks.size());
  for (const trace::task& t : recorded.tasks) {
    if (t.group != no_group) has_tasks[t.group] = true;
  }
  for (std::size_t i = 0; i < recorded.waits.size(); ++i) {
    const trace::wait& w = recorded.waits[i];
    if (w.waiting >= recorded.tasks.size()) refuse("wait", i, "names no task");
    if (w.group != no_group && (w.group >= recorded.tasks.size() || !has_tasks[w.group])) {
      refuse("wait", i, "is for group " + std::to_string(w.group) + ", which has no tasks");
    }
    const trace::task& t = recorded.tasks[w.waiting];
    if (w.ended < w.began || w.began < t.started || w.ended > t.ended) {
      refuse("wait", i, "does not lie within its task");
    }
  }
}

void validate_names(const std::vector<std::string>& names) {
  if (names.size() > most_trace_names) {
    throw std::invalid_argument("there are " + std::to_string(names.size()) + " names, at most " +
                                std::to_string(most_trace_names) + " are allowed");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() <= longest_trace_name) continue;
    refuse("name", i,
           "has " + std::to_string(names[i].size()) + " bytes, at most " +
               std::to_string(longest_trace_name) + " are allowed");
  }
}

void validate_regions(const trace& recorded) {
  for (std::size_t i = 0; i < recorded.regions.size(); ++i) {
    const trace::region& r = recorded.regions[i];
    if (r.within >= recorded.tasks.size()) refuse("region", i, "names no task");
    if (r.name >= recorded.names.size()) refuse("region", i, "has no name");
    const trace::task& t = recorded.tasks[r.within];
    if (r.ended < r.began || r.began < t.started || r.ended > t.ended) {
      refuse("region", i, "does not lie within its task");
    }
  }
}

void validate_counts(const trace& recorded, std::size_t workers) {
  for (std::size_t i = 0; i < recorded.counts.size(); ++i) {
    const trace::count& one = recorded.counts[i];
    if (one.worker >= workers) refuse("count", i, "names no worker");
    if (one.name >= recorded.names.size()) refuse("count", i, "has no name");
    if (one.time > recorded.makespan) refuse("count", i, "comes after the makespan");
    if (!std::isfinite(one.value)) refuse("count", i, "is no finite number");
  }
}

void validate_migrations(const trace& recorded, std::size_t workers) {
  for (std::size_t i = 0; i < recorded.migrations.size(); ++i) {
    const trace::migration& m = recorded.migrations[i];
    if (m.moved >= recorded.tasks.size()) refuse("migration", i, "names no task");
    if (m.from >= workers || m.to >= workers) refuse("migration", i, "names no worker");
    if (m.time > latest_trace_time) refuse("migration", i, "comes too late");
    if (m.round < trace::migration::rescued && m.round >= recorded.rounds.size()) {
      refuse("migration", i, "names no round");
    }
  }
}

/// True if the loads and the amounts of the plan are multiples of `unit`.
bool counts_in(load_type unit, const trace::round& r) {
  const auto divides = [unit](load_type quanta) { return quanta % unit == 0; };
  return unit >= 1 && std::all_of(r.loads.begin(), r.loads.end(), divides) &&
         std::all_of(r.planned.phases.begin(), r.planned.phases.end(), [&](const phase& one) {
           return std::all_of(one.begin(), one.end(),
                              [&](const transfer& t) { return divides(t.quanta); });
         });
}

void validate_round(const trace::round& r, std::size_t i, const topology& graph) {
  if (r.time > latest_trace_time) refuse("round", i, "comes too late");
  if (r.leader && *r.leader >= graph.nodes()) {
    refuse("round", i, "is led by worker " + std::to_string(*r.leader));
  }
  try {
    check_request({.graph = graph,
                   .loads = r.loads,
                   .capacities = r.capacities,
                   .seed = r.seed,
                   .initiator = r.initiator,
                   .service_times = r.service_times},
                  "what it saw");
    validate_plan(graph, r.loads, r.planned);
    if (!counts_in(r.unit, r)) {
      throw std::invalid_argument("the unit " + std::to_string(r.unit) +
                                  " is not allowed; at least 1, and a divisor of all loads and "
                                  "amounts");
    }
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument("round " + std::to_string(i) + ": " + problem.what());
  }
}

}  // namespace

void validate(const trace& recorded) {
  const topology graph = topology::parse(recorded.topology, most_trace_workers);
  validate_head(recorded, graph.nodes());
  for (std::size_t i = 0; i < recorded.tasks.size(); ++i) {
    validate_task(recorded, i, graph.nodes());
  }
  validate_names(recorded.names);
  validate_ancestry(recorded.tasks);
  validate_waits(recorded);
  validate_regions(recorded);
  validate_counts(recorded, graph.nodes());
  validate_migrations(recorded, graph.nodes());
  for (std::size_t i = 0; i < recorded.rounds.size(); ++i) {
    validate_round(recorded.rounds[i], i, graph);
  }
}

}  // namespace evencube::traces
