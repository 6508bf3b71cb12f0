#include "validate_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "text.hpp"

namespace evencube::simulator {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void require(bool holds, const std::string& message) {
  if (!holds) refuse(message);
}

void require_duration(double value, const char* name) {
  require(value >= 0 && value <= longest_duration,
          std::string(name) + " is " + shortest(value) + ": it must be >= 0 and at most 1e100");
}

void validate_arrivals(const model& what) {
  const arrival_process& a = what.arrivals;
  const bool random =
      a.which == arrival_process::kind::poisson || a.which == arrival_process::kind::hot_spot;
  if (random) {
    require(std::isfinite(a.rate) && a.rate > 0,
            "the arrival rate is " + shortest(a.rate) + ": it must be finite and > 0");
    require(std::isfinite(what.arrivals_end) || std::isfinite(what.horizon),
            "random arrivals need a finite end (arrivals_end or horizon)");
  }
  if (random) {
    // A node counts its draws with 32 bits, and more draws would repeat.
    constexpr double most = std::numeric_limits<std::uint32_t>::max();
    const double peak = a.which == arrival_process::kind::hot_spot ? a.rate * a.hot_factor : a.rate;
    const double draws = peak * std::min(what.arrivals_end, what.horizon);
    require(draws <= most, "a node would see about " + shortest(draws) + " arrivals, at most " +
                               shortest(most) +
                               " are allowed: offer a lower load or end earlier (horizon)");
  }
  if (a.which == arrival_process::kind::hot_spot) {
    require(std::isfinite(a.hot_factor) && a.hot_factor >= 1,
            "the hot factor is " + shortest(a.hot_factor) + ": it must be finite and >= 1");
    require(a.hot_share >= 0 && a.hot_share <= 1,
            "the hot share is " + shortest(a.hot_share) + ": it must lie in [0, 1]");
    require_duration(a.drift, "the drift");
  }
  double last = 0;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const auto name = "entry " + std::to_string(i) + " of the arrival trace";
    require(a.entries[i].node < what.graph->nodes(),
            name + " is for node " + std::to_string(a.entries[i].node) + " of " +
                std::to_string(what.graph->nodes()));
    require(std::isfinite(a.entries[i].time) && a.entries[i].time >= last,
            name + " comes at " + shortest(a.entries[i].time) + ", before the one ahead of it");
    require_duration(a.entries[i].demand, "a demand of the arrival trace");
    last = a.entries[i].time;
  }
}

void validate_balancing(const model& what) {
  const balancing& b = what.balance;
  if (b.strategy == nullptr) return;
  require(!what.central_queue, "a central queue leaves nothing to balance: choose one of the two");
  require(!(b.by_node && b.held),
          "execution can be held for rounds over the whole machine only, not for activations");
  require(!(b.by_node && b.informed == information::shared),
          "shared loads are read by rounds over the whole machine only, not by activations");
  require(b.by_node || b.informed != information::proximity,
          "distances to light nodes are for activations, not for rounds over the whole machine");
  require(b.light_below >= 0, "the load below which nodes are light is " +
                                  std::to_string(b.light_below) + ": it must be >= 0");
  require_duration(b.relay, "the cost of passing a task on");
  require(!(b.held && b.relay > 0),
          "a held round has no cost for passing tasks on: use a time per quantum");
  const trigger& t = b.when;
  if (t.which == trigger::kind::period || t.which == trigger::kind::utilisation) {
    require(std::isfinite(t.period) && t.period > 0,
            "the trigger's period is " + shortest(t.period) + ": it must be finite and > 0");
  }
  if (t.which == trigger::kind::idle) require_duration(t.period, "the trigger's period");
  require(t.level >= 0 && t.level <= 1,
          "the utilisation level is " + shortest(t.level) + ": it must lie in [0, 1]");
  require_duration(t.gap, "the trigger's gap");
  require_duration(t.retry, "the trigger's retry time");
  const bool by_load = t.which == trigger::kind::threshold || t.which == trigger::kind::idle;
  const bool takes_time =
      what.costs.measure > 0 || what.links.latency > 0 || what.links.per_quantum > 0 || t.gap > 0;
  require(!by_load || takes_time,
          "a trigger by load without any cost or gap could balance for ever at one instant: give a "
          "gap, a latency, a time per quantum or a cost of measuring");
}

}  // namespace

// A queue counts with 32 bits, and one node might get everything.
void validate_initial(std::span<const load_type> loads, node_id nodes) {
  require(loads.empty() || loads.size() == nodes, "there are " + std::to_string(loads.size()) +
                                                      " initial loads for " +
                                                      std::to_string(nodes) + " nodes");
  constexpr load_type most = std::numeric_limits<std::uint32_t>::max();
  load_type left = most;
  for (const load_type load : loads) {
    if (load < 0) refuse("the initial load " + std::to_string(load) + " is negative");
    if (load > left) {
      refuse("the initial loads add up to more than " + std::to_string(most) + " tasks");
    }
    left -= load;
  }
}

void validate(const model& what) {
  require(what.graph != nullptr, "a model needs a network (graph)");
  const std::size_t nodes = what.graph->nodes();
  validate_arrivals(what);
  validate_initial(what.initial, what.graph->nodes());
  require(what.speeds.empty() || what.speeds.size() == nodes,
          "there are " + std::to_string(what.speeds.size()) + " speeds for " +
              std::to_string(nodes) + " nodes");
  for (const double speed : what.speeds) {
    if (std::isfinite(speed) && speed > 0) continue;
    refuse("the speed " + shortest(speed) + " must be finite and > 0");
  }
  if (what.program != nullptr) {
    require(what.arrivals.which == arrival_process::kind::none && what.initial.empty() &&
                !what.draw_initial,
            "a program of tasks excludes arrivals and initial loads");
    require(!what.central_queue, "a program of tasks excludes the central queue");
    what.program->validate();
  }
  require_duration(what.links.latency, "the latency");
  require_duration(what.links.per_quantum, "the time per quantum");
  require(what.distance.domains > 0, "there are 0 blocks of nodes: it must be at least 1");
  require_duration(what.distance.per_hop, "the time per hop between blocks of nodes");
  require_duration(what.distance.latency, "the latency between blocks of nodes");
  require_duration(what.sleep.after, "the time until a node sleeps");
  require_duration(what.sleep.wake, "the time to wake a node");
  require_duration(what.costs.measure, "the cost of measuring");
  require_duration(what.costs.send, "the cost of sending");
  require_duration(what.costs.receive, "the cost of receiving");
  require_duration(what.costs.transfer_send, "the sender's cost of a transfer");
  require_duration(what.costs.transfer_receive, "the receiver's cost of a transfer");
  require(what.horizon > 0, "the horizon is " + shortest(what.horizon) + ": it must be > 0");
  require(what.arrivals_end >= 0,
          "the end of arrivals is " + shortest(what.arrivals_end) + ": it must be >= 0");
  require(what.warm_up >= 0 && what.warm_up < what.horizon,
          "the warm-up " + shortest(what.warm_up) + " must lie in [0, horizon)");
  require_duration(what.sample_period, "the sample period");
  require(what.most_waiting > 0 && what.most_waiting < no_task,
          "the number of tasks that may wait is " + std::to_string(what.most_waiting) +
              ": it must be from 1 to " + std::to_string(no_task - 1));
  require(what.most_at_once > 0,
          "the number of events that may come at once is 0: it must be >= 1");
  validate_balancing(what);
}

}  // namespace evencube::simulator
