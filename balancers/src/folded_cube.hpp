#pragma once

#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/exchange.hpp>

#include "exact.hpp"

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
  /// Summed capacities; see fold_capacities().
  std::vector<wide> weights;

  [[nodiscard]] node_id partner(node_id k) const noexcept { return k + low; }
};

/// Fills `folded` with `loads`, reusing its memory; the weights stay as they are.
/// Precondition: the request is checked, the graph is a cube.
void fold(const balance_request& request, std::span<const load_type> loads, folded_cube& folded);

/// Writes the capacities of the request in whole numbers, all 1 if they are equal or none are
/// given.
void whole_capacities(const balance_request& request, std::vector<wide>& capacities);

/// Fills the weights of a cube that is folded already.
void fold_capacities(std::span<const wide> capacities, folded_cube& folded);

/// Turns a plan for the folded cube into one for the real nodes: before it, partners lend what the
/// low nodes would lack on the way; after it, pairs settle so that every node ends with its target.
/// Writes folded.dimensions + 2 phases or, when nothing is folded, copies `inner`.
/// Precondition: targets of a pair sum to what `inner` leaves on its low node.
void unfold(const balance_request& request, const folded_cube& folded, const plan& inner,
            std::span<const load_type> targets, plan& out);

/// The share of `sum` for the first of two members of weights wa, wb (not both 0): the nearest
/// integer to sum * wa / (wa + wb). A tie is settled as the rule settles an odd sum: DEM gives the
/// unit to whom had more, dem_lower to the first member, OEM makes the first member's share odd.
[[nodiscard]] load_type weighted_share(pair_rule rule, load_type sum, wide wa, wide wb,
                                       bool first_has_more);

/// The same for members that hold `first` and sum - first now: under dem_lower nothing moves if
/// `first` is as near to the share as an integer can be.
[[nodiscard]] load_type weighted_pair_share(pair_rule rule, load_type first, load_type second,
                                            wide wa, wide wb);

}  // namespace evencube
