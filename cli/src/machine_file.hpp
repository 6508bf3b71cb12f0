#pragma once

#include <evencube/simulator/model.hpp>
#include <string>

#include "console.hpp"

namespace evencube::cli {

using simulator::machine_costs;

/// `this` (measured now), `loh` (Loh et al. 1996) or a file that `--calibrate` wrote. Throws
/// usage_error naming the file and what is wrong with it.
[[nodiscard]] machine_costs machine_called(const std::string& name);

/// The costs of a model become those of the machine; its ports stay as they are.
void apply(const machine_costs& machine, simulator::model& to);

/// One object that machine_called() reads back.
[[nodiscard]] json to_json(const machine_costs& machine);
/// A table with the meaning of every number.
[[nodiscard]] std::string to_text(const machine_costs& machine);

}  // namespace evencube::cli
