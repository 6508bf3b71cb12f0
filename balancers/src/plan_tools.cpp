#include <evencube/balancers/plan_tools.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace evencube {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::string shown(double value) {
  std::string text = std::to_string(value);
  return text;
}

std::string shown(const transfer& t) {
  return "transfer " + std::to_string(t.from) + " -> " + std::to_string(t.to) + " of " +
         std::to_string(t.quanta) + " quanta";
}

bool before(const transfer& a, const transfer& b) {
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

}  // namespace

load_type total_load(std::span<const load_type> loads) {
  load_type total = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    if (loads[k] < 0) {
      refuse("the load of node " + std::to_string(k) + " is " + std::to_string(loads[k]) +
             ", loads are never negative");
    }
    if (__builtin_add_overflow(total, loads[k], &total)) {
      refuse("the sum of the loads exceeds " +
             std::to_string(std::numeric_limits<load_type>::max()) + " at node " +
             std::to_string(k));
    }
  }
  return total;
}

void check_request(const balance_request& request, std::string_view who) {
  const std::string name(who);
  const std::size_t nodes = request.graph.nodes();
  if (request.loads.size() != nodes) {
    refuse(name + ": " + std::to_string(request.loads.size()) + " loads for " +
           request.graph.to_string() + ", which has " + std::to_string(nodes) + " nodes");
  }
  static_cast<void>(total_load(request.loads));
  if (!request.capacities.empty()) {
    if (request.capacities.size() != nodes) {
      refuse(name + ": " + std::to_string(request.capacities.size()) + " capacities for " +
             std::to_string(nodes) + " nodes");
    }
    bool any = false;
    for (std::size_t k = 0; k < nodes; ++k) {
      const double c = request.capacities[k];
      if (!std::isfinite(c) || c < 0.0) {
        refuse(name + ": the capacity of node " + std::to_string(k) + " is " + shown(c) +
               ", allowed are finite values >= 0");
      }
      any = any || c > 0.0;
    }
    if (!any) refuse(name + ": all capacities are 0, at least one node must take work");
  }
  if (!request.service_times.empty()) {
    if (request.service_times.size() != nodes) {
      refuse(name + ": " + std::to_string(request.service_times.size()) + " service times for " +
             std::to_string(nodes) + " nodes");
    }
    for (std::size_t k = 0; k < nodes; ++k) {
      if (!(request.service_times[k] > 0.0)) {
        refuse(name + ": the service time of node " + std::to_string(k) + " is " +
               shown(request.service_times[k]) + ", allowed are values > 0 and infinity");
      }
    }
  }
  if (request.initiator && *request.initiator >= nodes) {
    refuse(name + ": the initiator is node " + std::to_string(*request.initiator) +
           ", allowed are 0 to " + std::to_string(nodes - 1));
  }
}

bool equal_capacities(std::span<const double> capacities) noexcept {
  return std::adjacent_find(capacities.begin(), capacities.end(), std::not_equal_to<>()) ==
         capacities.end();
}

void refuse_capacities(const balance_request& request, std::string_view who) {
  if (!equal_capacities(request.capacities)) {
    refuse(std::string(who) + ": has no rule for unequal capacities; give none, or equal ones");
  }
}

void require_cube(const topology& graph, std::string_view who) {
  if (!graph.is_cube()) {
    refuse(std::string(who) + ": works on hypercube:D and cube:N, not on " + graph.to_string());
  }
}

void validate_plan(const topology& graph, std::span<const load_type> loads, const plan& planned) {
  if (loads.size() != graph.nodes()) {
    refuse(std::to_string(loads.size()) + " loads for " + std::to_string(graph.nodes()) + " nodes");
  }
  static_cast<void>(total_load(loads));
  std::vector<load_type> held(loads.begin(), loads.end());
  phase sorted;
  for (std::size_t p = 0; p < planned.phases.size(); ++p) {
    const auto where = [&](const transfer& t) {
      return "phase " + std::to_string(p) + ": " + shown(t);
    };
    for (const transfer& t : planned.phases[p]) {
      if (t.from >= graph.nodes() || t.to >= graph.nodes()) {
        refuse(where(t) + ": the nodes are 0 to " + std::to_string(graph.nodes() - 1));
      }
      if (t.quanta < 1) refuse(where(t) + ": a transfer carries at least 1");
      if (t.from == t.to) refuse(where(t) + ": a node does not send to itself");
      if (!graph.adjacent(t.from, t.to)) refuse(where(t) + ": no such link");
    }
    sorted = planned.phases[p];
    std::sort(sorted.begin(), sorted.end(), before);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const transfer& t = sorted[i];
      if (i > 0 && sorted[i - 1].from == t.from && sorted[i - 1].to == t.to) {
        refuse(where(t) + ": the link is named twice in this phase");
      }
      if (t.quanta > held[t.from]) {
        refuse(where(t) + ": node " + std::to_string(t.from) + " has only " +
               std::to_string(held[t.from]) + " left of what it held when the phase began");
      }
      held[t.from] -= t.quanta;
    }
    for (const transfer& t : sorted) held[t.to] += t.quanta;
  }
}

void apply_plan(const plan& planned, std::span<load_type> loads) {
  for (const phase& moves : planned.phases) {
    for (const transfer& t : moves) {
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
  }
}

std::vector<load_type> final_loads(const plan& planned, std::span<const load_type> loads) {
  std::vector<load_type> after(loads.begin(), loads.end());
  apply_plan(planned, after);
  return after;
}

load_type max_difference(std::span<const load_type> loads) {
  if (loads.empty()) return 0;
  const auto [smallest, largest] = std::minmax_element(loads.begin(), loads.end());
  return *largest - *smallest;
}

load_type task_hops(const plan& planned) {
  load_type sum = 0;
  for (const phase& moves : planned.phases) {
    for (const transfer& t : moves) sum = saturating_add(sum, t.quanta);
  }
  return sum;
}

load_type max_link(const plan& planned) {
  phase all;
  all.reserve(transfer_count(planned));
  for (const phase& moves : planned.phases) all.insert(all.end(), moves.begin(), moves.end());
  std::sort(all.begin(), all.end(), before);
  load_type largest = 0;
  load_type sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same = i > 0 && all[i - 1].from == all[i].from && all[i - 1].to == all[i].to;
    sum = saturating_add(same ? sum : 0, all[i].quanta);
    largest = std::max(largest, sum);
  }
  return largest;
}

std::size_t transfer_count(const plan& planned) noexcept {
  std::size_t count = 0;
  for (const phase& moves : planned.phases) count += moves.size();
  return count;
}

void reset_plan(plan& planned, std::size_t phases) {
  planned.phases.resize(phases);
  for (phase& moves : planned.phases) moves.clear();
}

}  // namespace evencube
