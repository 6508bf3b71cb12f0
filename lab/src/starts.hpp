#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <evencube/balancers/topology.hpp>

namespace evencube::lab {

/// A way to make the loads of a network.
struct start_descriptor {
  std::string_view name;
  std::string_view summary;
  bool cubes_only;
  bool drawn;  ///< depends on the seed
};

/// Returns all ways to make loads, the plainest first.
[[nodiscard]] std::span<const start_descriptor> all_starts();

/// Makes the loads of a network in the way with that name. `largest` is the largest load of the
/// ways that have a choice. Throws refusal if the name is unknown or the network has no such loads.
[[nodiscard]] std::vector<load_type> make_start(std::string_view name, const topology& graph,
                                                std::uint64_t seed, load_type largest);

/// Returns loads of the hypercube with `dimensions` dimensions for which OEM, lowest dimension
/// first, leaves the largest difference that it ever leaves, ceil(dimensions / 2) (Rim et al. 2003,
/// Theorem 1). `dimensions` in [0, 12].
[[nodiscard]] std::vector<load_type> worst_loads_of_oem(unsigned dimensions);

}  // namespace evencube::lab
