#pragma once

#include <evencube/simulator/model.hpp>

namespace evencube::simulator {

/// Throws std::invalid_argument naming the first value outside the ranges of model.hpp.
void validate(const model& what);

}  // namespace evencube::simulator
