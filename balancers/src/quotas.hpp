#pragma once

#include <span>
#include <string>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan.hpp>

#include "exact.hpp"

namespace evencube {

/// "first" or "halving", already checked.
[[nodiscard]] quota_rule parse_quota(const std::string& text);

/// Shares `total` among the nodes first, first + stride, ... below quotas.size() in proportion to
/// `capacities` (empty: equal), each rounded down or up, and not at all where it is whole; writes
/// them to `quotas`. A node of capacity 0 gets nothing; some capacity is positive, or the total is
/// 0. Equal capacities: every quota is floor or ceil of the average.
void share_quotas(load_type total, quota_rule rule, node_id first, node_id stride,
                  std::span<const wide> capacities, std::span<load_type> quotas);

/// Every node's share rounded down, and in `owed` whether that took something off; returns the
/// units left over, less than there are nodes that are owed.
[[nodiscard]] load_type floor_quotas(load_type total, std::span<const wide> capacities,
                                     std::span<load_type> quotas, std::vector<char>& owed);

}  // namespace evencube
