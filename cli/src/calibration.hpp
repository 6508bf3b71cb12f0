#pragma once

#include <evencube/simulator/model.hpp>

namespace evencube::cli {

/// Measures this machine on a runtime of one worker per usable processing unit, at least two. Takes
/// about half a second; medians, so that a moment's disturbance does not count. Every value is
/// finite and >= 0.
[[nodiscard]] simulator::machine_costs calibrate();

}  // namespace evencube::cli
