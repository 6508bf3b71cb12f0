#pragma once

#include <optional>
#include <string>
#include <vector>

#include <evencube/machine.hpp>

namespace evencube::detail {

/// The units found by one way of looking, before the quota is known.
struct inventory {
  std::vector<processing_unit> units;
  std::vector<double> numa_distances;
  /// Units the machine has, allowed or not.
  unsigned present = 0;
};

/// False in a build without hwloc.
[[nodiscard]] bool hwloc_available() noexcept;

/// Reads this machine, or the one described in `options`, with hwloc. Empty where hwloc is absent
/// or cannot read it, or where nothing that it found is allowed; `why` then says which.
[[nodiscard]] std::optional<inventory> read_with_hwloc(const machine_options& options,
                                                       std::string& why);

/// Around `fork`, so that no other thread reads a machine meanwhile: a child could not go on with
/// what that thread has locked.
void lock_inventory() noexcept;
void unlock_inventory() noexcept;

/// What the affinity mask alone tells: always at least one unit.
[[nodiscard]] inventory read_with_affinity();

/// Units the operating system has online, at least 1.
[[nodiscard]] unsigned online_units() noexcept;

}  // namespace evencube::detail
