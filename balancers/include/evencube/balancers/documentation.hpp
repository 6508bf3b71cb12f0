#pragma once

#include <string>

namespace evencube {

/// The page docs/balancers.md: a table of all registered balancers with their guarantees, their
/// options, and the cost of the transmissions over imbalance as in Rim et al. 2003, Figures 22
/// and 23. Deterministic; O(seconds / 10).
[[nodiscard]] std::string balancer_page();

}  // namespace evencube
