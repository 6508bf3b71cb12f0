#pragma once

#include <span>
#include <string>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan.hpp>

#include "exact.hpp"

namespace evencube {

/// Converts "first" or "halving", which has been checked already.
[[nodiscard]] quota_rule parse_quota(const std::string& text);

/// Shares `total` among the nodes first, first + stride, ... below quotas.size(), in proportion to
/// `capacities` (empty: equal), and writes the shares to `quotas`. A share that is not whole is
/// rounded down or up. A node of capacity 0 gets nothing; some capacity is positive, or the total
/// is 0. With equal capacities, every quota is the floor or the ceiling of the average.
void share_quotas(load_type total, quota_rule rule, node_id first, node_id stride,
                  std::span<const wide> capacities, std::span<load_type> quotas);

/// Rounds every node's share down, and marks in `owed` the nodes that lost something by it. Returns
/// the units that are left over, which are fewer than the nodes marked.
[[nodiscard]] load_type floor_quotas(load_type total, std::span<const wide> capacities,
                                     std::span<load_type> quotas, std::vector<char>& owed);

}  // namespace evencube
