#pragma once

#include <string>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Returns the page docs/balancers.md. The page has all registered balancers with their guarantees
/// and options, and the costs of the transmissions for growing imbalance, as in Rim et al. 2003,
/// Figures 22 and 23. Deterministic; takes some tenths of a second.
[[nodiscard]] EVENCUBE_EXPORT std::string balancer_page();

}  // namespace evencube
