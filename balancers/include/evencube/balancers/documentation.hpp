#pragma once

#include <string>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The page docs/balancers.md: a table of all registered balancers with their guarantees, their
/// options, and the cost of the transmissions over imbalance as in Rim et al. 2003, Figures 22
/// and 23. Deterministic; O(seconds / 10).
[[nodiscard]] EVENCUBE_EXPORT std::string balancer_page();

}  // namespace evencube
