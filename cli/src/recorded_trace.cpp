#include "recorded_trace.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include <evencube/detail/task.hpp>

#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

/// Who planned; of the automatic mode what the runtime made of it.
balancer_mode mode_of(const runtime& workers, const runtime_options& options) {
  if (options.mode != balancer_mode::automatic) return options.mode;
  return workers.workers() < workers.hardware().units.size() ? balancer_mode::thread
                                                             : balancer_mode::on_idle;
}

}  // namespace

traces::trace trace_of(const recording& take, const runtime& workers, const std::string& workload,
                       const runtime_options& options, const machine_costs& costs) {
  static_assert(recording::none == simulator::no_task);
  static_assert(traces::most_task_cost == evencube::detail::max_cost);
  static_assert(recording::none == traces::trace::migration::unplanned);
  static_assert(recording::rescued == traces::trace::migration::rescued);
  traces::trace made;
  made.workload = workload;
  made.balancer = options.balancer;
  made.options = options.options;
  made.transmission = options.transmission;
  made.mode = name_of(mode_of(workers, options));
  if (made.mode == "thread") {
    made.period = static_cast<std::uint64_t>(std::chrono::nanoseconds{options.period}.count());
  }
  made.threshold = static_cast<load_type>(options.threshold);
  made.pulls = options.pulls;
  made.topology = fmt::format("cube:{}", workers.workers());
  made.costs = costs;
  made.cut = take.cut;
  // Time begins with the work, not with the recording.
  auto first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  for (const recording::task& t : take.tasks) {
    first = std::min(first, t.spawned);
    last = std::max(last, t.ended);
  }
  if (take.tasks.empty()) return made;
  made.makespan = last - first;
  const auto since = [&](std::uint64_t time) { return time < first ? 0 : time - first; };
  for (const recording::task& t : take.tasks) {
    made.tasks.push_back({t.parent, t.spawned_by, since(t.spawned), t.worker, since(t.started),
                          since(t.ended), t.home, t.group, t.name, t.cost});
  }
  for (const recording::wait& w : take.waits) {
    made.waits.push_back({w.waiting, since(w.began), since(w.ended), w.group});
  }
  for (const recording::migration& m : take.migrations) {
    made.migrations.push_back({m.moved, since(m.time), m.from, m.to, m.round});
  }
  made.names = take.names;
  for (const recording::region& r : take.regions) {
    made.regions.push_back({r.within, r.name, since(r.began), since(r.ended)});
  }
  for (const recording::count& one : take.counts) {
    // Spare workers are no nodes of the network; what is counted behind the last task is nobody's.
    if (one.worker >= workers.workers() || one.time < first || one.time > last) continue;
    made.counts.push_back({one.worker, one.name, one.time - first, one.value});
  }
  for (const recording::round& r : take.rounds) {
    made.rounds.push_back({since(r.time), r.loads, r.seed, r.initiator, r.planned, r.capacities,
                           r.service_times, r.leader});
  }
  return made;
}

}  // namespace evencube::cli
