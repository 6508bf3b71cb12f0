#pragma once

#include <span>

#include <evencube/simulator/model.hpp>

namespace evencube::simulator {

/// Throws std::invalid_argument that names the first value outside the ranges of model.hpp.
void validate(const model& what);

/// Like `validate`, for the loads at time 0: none, or one for each node.
void validate_initial(std::span<const load_type> loads, node_id nodes);

}  // namespace evencube::simulator
