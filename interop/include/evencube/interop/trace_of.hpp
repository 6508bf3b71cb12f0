#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/recording.hpp>
#include <evencube/runtime.hpp>
#include <evencube/trace/trace.hpp>

// For programs that also link with EvenCube::trace.

namespace evencube::traces {

namespace detail {

/// Returns the planning mode; for the automatic mode, the mode that the runtime chose.
inline std::string mode_of(const runtime& workers, const runtime_options& options) {
  switch (options.mode) {
    case balancer_mode::thread:
      return "thread";
    case balancer_mode::on_idle:
      return "on_idle";
    case balancer_mode::on_demand:
      return "on_demand";
    case balancer_mode::automatic:
      break;
  }
  return workers.workers() > 1 ? "thread" : "on_idle";
}

}  // namespace detail

/// Converts the recording `take` of the runtime `workers`, which was made with `options`, to a
/// trace. The trace can be written to a file for `evencube trace` and `whatif` (`write_trace`), for
/// Perfetto (`write_events`), or as a page (`write_page`). `about` is the name of the program in
/// the trace. Times are measured from the spawn of the first task. The costs are the nominal costs.
/// Spare workers' counters are left out, because spare workers are not nodes of the network, as are
/// counters before the first task or after the last. O(recording). Throws std::invalid_argument if
/// a spare worker spawned or ran a task, and std::bad_alloc.
[[nodiscard]] inline trace trace_of(const recording& take, const runtime& workers,
                                    const runtime_options& options, std::string about = {}) {
  static_assert(recording::none == trace::migration::unplanned);
  static_assert(recording::rescued == trace::migration::rescued);
  trace made;
  made.workload = std::move(about);
  made.balancer = options.balancer.name();
  made.options = chosen_options(options.balancer, options.options);
  made.transmission = options.transmission.text();
  made.mode = detail::mode_of(workers, options);
  if (made.mode == "thread") {
    made.period = static_cast<std::uint64_t>(std::chrono::nanoseconds{options.period}.count());
  }
  made.threshold = static_cast<load_type>(options.threshold);
  made.pulls = options.pulls;
  made.largest_first = options.largest_first;
  made.topology = "cube:" + std::to_string(workers.workers());
  made.cut = take.cut;
  // Time starts at the first spawn, not at the start of the recording.
  auto first = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t last = 0;
  for (const recording::task& t : take.tasks) {
    if ((std::max)(t.worker, t.spawned_by) >= workers.workers()) {
      throw std::invalid_argument(
          "trace_of: spare worker " + std::to_string((std::max)(t.worker, t.spawned_by)) +
          " had a task; a trace has the " + std::to_string(workers.workers()) + " workers alone");
    }
    first = (std::min)(first, t.spawned);
    last = (std::max)(last, t.ended);
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
    if (one.worker >= workers.workers() || one.time < first || one.time > last) continue;
    made.counts.push_back({one.worker, one.name, one.time - first, one.value});
  }
  for (const recording::round& r : take.rounds) {
    made.rounds.push_back({since(r.time), r.loads, r.seed, r.initiator, r.planned, r.capacities,
                           r.service_times, r.leader, r.unit});
  }
  return made;
}

}  // namespace evencube::traces
