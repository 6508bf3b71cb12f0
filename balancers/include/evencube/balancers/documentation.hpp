#pragma once

#include <string>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Returns the page docs/balancers.md. It has a table of all registered balancers with their
/// guarantees, their options, and the cost of the transmissions over imbalance as in Rim et al.
/// 2003, Figures 22 and 23. Deterministic; takes some tenths of a second.
[[nodiscard]] EVENCUBE_EXPORT std::string balancer_page();

}  // namespace evencube
