#pragma once

#include <string>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Returns the text of docs/balancers.md: all registered balancers with their guarantees and
/// options, and the cost of each transmission for growing imbalance, as in Rim et al. 2003, Figures
/// 22 and 23. Deterministic; takes a few tenths of a second.
[[nodiscard]] EVENCUBE_EXPORT std::string balancer_page();

}  // namespace evencube
