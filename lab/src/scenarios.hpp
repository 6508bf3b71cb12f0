#pragma once

#include <cstdint>

#include <evencube/simulator/presets.hpp>

#include "request.hpp"

namespace evencube::lab {

/// Returns what the page must know of each preset of the simulator: its name, one line about it,
/// and the values of its settings.
[[nodiscard]] json described_scenarios();

/// Returns the scenario of a request: the preset that `scenario` names, with the settings that the
/// request has (lab/README.md lists them). Throws refusal if a setting does not apply to it or is
/// not within the limits of the lab, and what the simulator throws.
[[nodiscard]] simulator::scenario scenario_of(const json& request);

/// Returns the seed of a request for a simulation; it is 1 if there is none.
[[nodiscard]] std::uint64_t seed_of(const json& request);

}  // namespace evencube::lab
