#pragma once

#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/exchange.hpp>

#include "exact.hpp"

namespace evencube {

/// A cube of any size seen as a full one (docs/incomplete-cubes.md). If 2^d' < N < 2^(d'+1), node k
/// + 2^d' is folded onto its partner k, which is always present. The full cube of dimension d' has
/// the sums of the loads and capacities. If N is a power of two, nothing is folded.
struct folded_cube {
  unsigned dimensions = 0;
  /// 2^dimensions, the number of nodes of the full cube.
  node_id low = 1;
  /// N - low: the nodes 0 .. extra-1 have a partner.
  node_id extra = 0;
  std::vector<load_type> loads;
  /// The summed capacities; see fold_capacities().
  std::vector<wide> weights;

  [[nodiscard]] node_id partner(node_id k) const noexcept { return k + low; }
};

/// Fills `folded` with `loads` and reuses its memory. The weights stay as they are. Precondition:
/// the request has been checked, and the graph is a cube.
void fold(const balance_request& request, std::span<const load_type> loads, folded_cube& folded);

/// Writes the capacities of the request as whole numbers, all 1 if they are equal or none are
/// given.
void whole_capacities(const balance_request& request, std::vector<wide>& capacities);

/// Fills in the weights of a cube that has been folded.
void fold_capacities(std::span<const wide> capacities, folded_cube& folded);

/// Turns a plan for the folded cube into one for the real nodes. Before the plan, partners lend
/// what the low nodes would lack on the way; after it, pairs settle so that every node ends with
/// its target. Writes folded.dimensions + 2 phases or, if nothing is folded, copies `inner`.
/// Precondition: the targets of a pair sum to what `inner` leaves on its low node.
void unfold(const balance_request& request, const folded_cube& folded, const plan& inner,
            std::span<const load_type> targets, plan& out);

/// The share of `sum` for the first of two members with weights wa, wb (not both 0): the integer
/// nearest to sum * wa / (wa + wb). A tie is settled as the rule settles an odd sum: DEM gives the
/// unit to the member that had more, dem_lower to the first member, and OEM makes the share of the
/// first member odd.
[[nodiscard]] load_type weighted_share(pair_rule rule, load_type sum, wide wa, wide wb,
                                       bool first_has_more);

/// Like `weighted_share`, for members that hold `first` and `second` now. Under dem_lower, nothing
/// moves if `first` is as near to the share as an integer can be.
[[nodiscard]] load_type weighted_pair_share(pair_rule rule, load_type first, load_type second,
                                            wide wa, wide wb);

}  // namespace evencube
