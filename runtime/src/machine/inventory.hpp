#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <evencube/machine.hpp>

#include "platform/platform.hpp"

namespace evencube::detail {

/// The units found by one way of reading the machine, before the quota is known.
struct inventory {
  std::vector<processing_unit> units;
  std::vector<double> numa_distances;
  /// The number of units of the machine, allowed or not.
  unsigned present = 0;
  /// True if cores, caches and NUMA nodes are those of the machine. If false, they are unknown.
  bool knows_parts = false;
};

/// False in a build without hwloc.
[[nodiscard]] bool hwloc_available() noexcept;

/// Reads this machine, or the one described in `options`, with hwloc. Empty if hwloc is absent or
/// cannot read it, or if none of the units found is allowed; `reason` then says why.
[[nodiscard]] std::optional<inventory> read_with_hwloc(const machine_options& options,
                                                       std::string& reason);

/// Call before `fork`, and `unlock_inventory` after it, so that no other thread reads a machine at
/// that moment: a child could not use a lock that such a thread holds.
void lock_inventory() noexcept;
void unlock_inventory() noexcept;

/// The inventory according to the affinity mask, and to the places of units if the operating system
/// itself lists them: always at least one unit.
[[nodiscard]] inventory read_with_affinity();

/// The allowed units, numbered by their places and ordered so that units close to each other are
/// adjacent. Empty if one of them has no place.
[[nodiscard]] std::vector<processing_unit> units_at(std::span<const unsigned> allowed,
                                                    std::span<const place_of_unit> places);

}  // namespace evencube::detail
