#pragma once

#include <evencube/balancers/registry.hpp>
#include <string_view>

#include "console.hpp"

namespace evencube::cli {

/// What the theory of one balancer says beyond its transfers, as keys of the plan's JSON object:
/// `alpha` and `gamma` of diffusion (weight and contraction of one iteration), the `packets` of
/// `locality` (consecutive quanta of the whole line from node to node). Empty for the others.
[[nodiscard]] json plan_details(std::string_view balancer, const balancer_options& options,
                                const balance_request& request);

/// The same for people: lines, or nothing.
[[nodiscard]] std::string details_text(const json& details);

}  // namespace evencube::cli
