#include "folded_cube.hpp"

#include <algorithm>
#include <bit>

#include <evencube/balancers/plan_tools.hpp>

namespace evencube {

void fold(const balance_request& request, std::span<const load_type> loads, folded_cube& folded) {
  const node_id nodes = request.graph.nodes();
  folded.dimensions = static_cast<unsigned>(std::bit_width(nodes)) - 1;
  folded.low = node_id{1} << folded.dimensions;
  folded.extra = nodes - folded.low;
  folded.loads.assign(loads.begin(), loads.begin() + folded.low);
  folded.weights.resize(folded.low);
  for (node_id k = 0; k < folded.low; ++k) folded.weights[k] = capacity_of(request, k);
  for (node_id k = 0; k < folded.extra; ++k) {
    folded.loads[k] += loads[folded.partner(k)];
    folded.weights[k] += capacity_of(request, folded.partner(k));
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
  thread_local std::vector<load_type> held;
  thread_local std::vector<load_type> lent;
  held.assign(request.loads.begin(), request.loads.begin() + folded.low);
  lent.assign(folded.low, 0);
  // How far below zero a low node would fall if its partner lent nothing.
  for (const phase& moves : inner.phases) {
    for (const transfer& t : moves) {
      held[t.from] -= t.quanta;
      lent[t.from] = std::max(lent[t.from], -held[t.from]);
    }
    for (const transfer& t : moves) held[t.to] += t.quanta;
  }
  for (node_id k = 0; k < folded.extra; ++k) {
    const node_id partner = folded.partner(k);
    // held[k] is now the load of k without any help; a partner that has to give in the end gives
    // everything at once.
    const load_type loan = std::max(lent[k], request.loads[partner] - targets[partner]);
    const load_type settled = held[k] + loan - targets[k];
    if (loan > 0) out.phases.front().push_back({partner, k, loan});
    if (settled > 0) out.phases.back().push_back({k, partner, settled});
  }
}

load_type weighted_share(pair_rule rule, load_type sum, double wa, double wb, bool first_has_more) {
  const long double exact = static_cast<long double>(sum) * static_cast<long double>(wa) /
                            (static_cast<long double>(wa) + static_cast<long double>(wb));
  // Guards the conversion: a quotient rounded up to 2^63 does not fit.
  if (exact >= static_cast<long double>(sum)) return sum;
  const auto whole = static_cast<load_type>(exact);
  const long double rest = exact - static_cast<long double>(whole);
  const bool tie_up = rule == pair_rule::dem ? first_has_more : whole % 2 == 0;
  return whole + (rest > 0.5L || (rest == 0.5L && tie_up) ? 1 : 0);
}

}  // namespace evencube
