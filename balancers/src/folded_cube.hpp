#pragma once

#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/exchange.hpp>

namespace evencube {

/// A cube of any size seen as a full one (docs/incomplete-cubes.md). With 2^d' < N < 2^(d'+1) node
/// k + 2^d' is folded onto its always present partner k: the full cube of dimension d' has the sums
/// of the loads and capacities. For N a power of two nothing is folded.
struct folded_cube {
  unsigned dimensions = 0;
  /// 2^dimensions, the nodes of the full cube.
  node_id low = 1;
  /// N - low: the nodes 0 .. extra-1 carry a partner.
  node_id extra = 0;
  std::vector<load_type> loads;
  /// Summed capacities, 1 per node if none are given.
  std::vector<double> weights;

  [[nodiscard]] node_id partner(node_id k) const noexcept { return k + low; }
};

/// Fills `folded` with `loads` and the capacities of the request, reusing its memory.
/// Precondition: the request is checked, the graph is a cube.
void fold(const balance_request& request, std::span<const load_type> loads, folded_cube& folded);

/// Turns a plan for the folded cube into one for the real nodes: before it, partners lend what the
/// low nodes would lack on the way; after it, pairs settle so that every node ends with its target.
/// Writes folded.dimensions + 2 phases or, when nothing is folded, copies `inner`.
/// Precondition: targets of a pair sum to what `inner` leaves on its low node.
void unfold(const balance_request& request, const folded_cube& folded, const plan& inner,
            std::span<const load_type> targets, plan& out);

/// The share of `sum` for the first of two members of weights wa, wb (not both 0): the nearest
/// integer to sum * wa / (wa + wb). A tie is settled as the rule settles an odd sum: DEM gives the
/// unit to whom had more, OEM makes the first member's share odd.
[[nodiscard]] load_type weighted_share(pair_rule rule, load_type sum, double wa, double wb,
                                       bool first_has_more);

/// Capacity of node k, 1 if none are given.
[[nodiscard]] inline double capacity_of(const balance_request& request, node_id k) noexcept {
  return request.capacities.empty() ? 1.0 : request.capacities[k];
}

}  // namespace evencube
