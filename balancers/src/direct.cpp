#include <algorithm>
#include <deque>
#include <map>

#include "disciplines.hpp"

namespace evencube {
namespace {

struct batch {
  node_id origin;
  load_type quanta;
};

/// Takes the units that node k sends on: first guests (units of other nodes) in the order of their
/// arrival, so that units at home stay there; then its own.
template <typename Take>
void take_units(std::deque<batch>& guests, node_id k, load_type quanta, Take&& take) {
  while (quanta > 0 && !guests.empty()) {
    batch& front = guests.front();
    const load_type part = std::min(front.quanta, quanta);
    take(front.origin, part);
    quanta -= part;
    front.quanta -= part;
    if (front.quanta == 0) guests.pop_front();
  }
  if (quanta > 0) take(k, quanta);
}

using flow_map = std::map<node_id, load_type>;

void add(flow_map& flows, node_id k, load_type quanta) { flows[k] += quanta; }

void subtract(flow_map& flows, flow_map::iterator at, load_type quanta) {
  at->second -= quanta;
  if (at->second == 0) flows.erase(at);
}

/// Lets nodes that both give and take pass their takings on. After this no node does both, so every
/// unit that moves is required by the net change of the loads.
void bypass(std::vector<flow_map>& out, std::vector<flow_map>& in) {
  for (node_id k = 0; k < out.size(); ++k) {
    while (!out[k].empty() && !in[k].empty()) {
      const auto from = in[k].begin();
      const auto to = out[k].begin();
      const node_id source = from->first;
      const node_id sink = to->first;
      const load_type part = std::min(from->second, to->second);
      subtract(in[k], from, part);
      subtract(out[source], out[source].find(k), part);
      subtract(out[k], to, part);
      subtract(in[sink], in[sink].find(k), part);
      if (source != sink) {
        add(out[source], sink, part);
        add(in[sink], source, part);
      }
    }
  }
}

}  // namespace

load_type run_direct(std::span<const load_type> loads, const plan& planned, schedule* steps) {
  std::vector<std::deque<batch>> guests(loads.size());
  std::vector<std::pair<node_id, batch>> landing;
  for (const phase& moves : planned.phases) {
    landing.clear();
    for (const transfer& t : moves) {
      take_units(guests[t.from], t.from, t.quanta, [&](node_id origin, load_type part) {
        if (origin != t.to) landing.push_back({t.to, {origin, part}});
      });
    }
    for (const auto& [to, units] : landing) guests[to].push_back(units);
  }
  std::vector<flow_map> out(loads.size());
  std::vector<flow_map> in(loads.size());
  for (node_id k = 0; k < guests.size(); ++k) {
    for (const auto& [origin, quanta] : guests[k]) {
      add(out[origin], k, quanta);
      add(in[k], origin, quanta);
    }
  }
  bypass(out, in);
  schedule_step step;
  for (node_id k = 0; k < out.size(); ++k) {
    for (const auto& [to, quanta] : out[k]) {
      step.transfers.push_back({k, to, quanta});
      step.duration = std::max(step.duration, quanta);
    }
  }
  const load_type cost = step.duration;
  if (steps != nullptr && !step.transfers.empty()) steps->steps.push_back(std::move(step));
  return cost;
}

}  // namespace evencube
