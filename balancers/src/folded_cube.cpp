#include "folded_cube.hpp"

#include <algorithm>
#include <bit>

#include <evencube/balancers/plan_tools.hpp>

#include "working_memory.hpp"

namespace evencube {
namespace {

struct loans {
  std::vector<load_type> held;
  std::vector<load_type> lent;
};

}  // namespace

void fold(const balance_request& request, std::span<const load_type> loads, folded_cube& folded) {
  const node_id nodes = request.graph.nodes();
  folded.dimensions = static_cast<unsigned>(std::bit_width(nodes)) - 1;
  folded.low = node_id{1} << folded.dimensions;
  folded.extra = nodes - folded.low;
  folded.loads.assign(loads.begin(), loads.begin() + folded.low);
  for (node_id k = 0; k < folded.extra; ++k) folded.loads[k] += loads[folded.partner(k)];
}

void whole_capacities(const balance_request& request, std::vector<wide>& capacities) {
  if (equal_capacities(request.capacities)) {
    capacities.assign(request.loads.size(), 1);
  } else {
    proportions(request.capacities, most_capacity, capacities);
  }
}

void fold_capacities(std::span<const wide> capacities, folded_cube& folded) {
  folded.weights.assign(capacities.begin(), capacities.begin() + folded.low);
  for (node_id k = 0; k < folded.extra; ++k) {
    folded.weights[k] += capacities[folded.partner(k)];
  }
}

void unfold(const balance_request& request, const folded_cube& folded, const plan& inner,
            std::span<const load_type> targets, plan& out) {
  const std::size_t first = folded.extra > 0 ? 1 : 0;
  reset_plan(out, inner.phases.size() + 2 * first);
  for (std::size_t p = 0; p < inner.phases.size(); ++p) {
    out.phases[p + first].assign(inner.phases[p].begin(), inner.phases[p].end());
  }
  if (folded.extra == 0) return;
  const working_memory<loans> memory;
  auto& [held, lent] = *memory;
  held.assign(request.loads.begin(), request.loads.begin() + folded.low);
  lent.assign(folded.low, 0);
  // Finds how far a low node would fall below zero if its partner lent nothing.
  for (const phase& moves : inner.phases) {
    for (const transfer& t : moves) {
      held[t.from] -= t.quanta;
      lent[t.from] = std::max(lent[t.from], -held[t.from]);
    }
    for (const transfer& t : moves) held[t.to] += t.quanta;
  }
  for (node_id k = 0; k < folded.extra; ++k) {
    const node_id partner = folded.partner(k);
    // held[k] is now the load of k without any help. A partner that has to give in the end gives
    // everything at once.
    const load_type loan = std::max(lent[k], request.loads[partner] - targets[partner]);
    const load_type settled = held[k] + loan - targets[k];
    if (loan > 0) out.phases.front().push_back({partner, k, loan});
    if (settled > 0) out.phases.back().push_back({k, partner, settled});
  }
}

load_type weighted_share(pair_rule rule, load_type sum, wide wa, wide wb, bool first_has_more) {
  const wide both = wa + wb;
  const load_type whole = quotient_of(static_cast<wide>(sum), wa, both, 1, rounding::floor);
  // Compares the rest with one half.
  const auto rest =
      compare_products(2 * static_cast<wide>(sum), wa, both, 2 * static_cast<wide>(whole) + 1);
  if (rest != 0) return rest > 0 ? whole + 1 : whole;
  const bool tie_up = rule == pair_rule::oem   ? whole % 2 == 0
                      : rule == pair_rule::dem ? first_has_more
                                               : true;
  return tie_up ? whole + 1 : whole;
}

load_type weighted_pair_share(pair_rule rule, load_type first, load_type second, wide wa, wide wb) {
  if (wa == wb) return pair_share(rule, first, second);
  const load_type sum = first + second;
  const load_type nearest = weighted_share(rule, sum, wa, wb, first > second);
  if (rule != pair_rule::dem_lower || nearest - 1 != first) return nearest;
  // One unit would come: not if the share is exactly half way.
  const bool half_way = compare_products(2 * static_cast<wide>(sum), wa, wa + wb,
                                         2 * static_cast<wide>(first) + 1) == 0;
  return half_way ? first : nearest;
}

}  // namespace evencube
