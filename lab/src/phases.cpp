#include "phases.hpp"

#include <utility>

#include <evencube/balancers/plan_tools.hpp>

namespace evencube::lab {

json flat(const phase& transfers) {
  json all = json::array();
  for (const auto& one : transfers) {
    all.push_back(one.from);
    all.push_back(one.to);
    all.push_back(one.quanta);
  }
  return all;
}

json replay_of(const std::vector<load_type>& loads, const plan& moves) {
  json phases = json::array();
  json differences = json::array({max_difference(loads)});
  std::vector<load_type> after = loads;
  plan one;
  one.phases.resize(1);
  for (const auto& transfers : moves.phases) {
    phases.push_back(flat(transfers));
    one.phases[0] = transfers;
    apply_plan(one, after);
    differences.push_back(max_difference(after));
  }
  return {{"initial", loads},
          {"final", after},
          {"phases", std::move(phases)},
          {"differences", std::move(differences)},
          {"transfers", transfer_count(moves)},
          {"task_hops", task_hops(moves)}};
}

}  // namespace evencube::lab
