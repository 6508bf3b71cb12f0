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

/// As long as one lives, what hwloc tells of this machine is kept for binding threads. Thread-safe.
class binding_lease {
 public:
  binding_lease() noexcept;
  binding_lease(const binding_lease&) = delete;
  binding_lease& operator=(const binding_lease&) = delete;
  ~binding_lease();
};

/// Restricts the calling thread to one unit by hwloc. False, and nothing changed, where hwloc is
/// absent, has not read this machine, or cannot.
bool bind_with_hwloc(unsigned os_index) noexcept;

/// Around `fork`, so that nobody reads a machine meanwhile or changes what leases keep: a child
/// could not go on with that.
void lock_inventory() noexcept;
void unlock_inventory() noexcept;

/// What the affinity mask alone tells: always at least one unit.
[[nodiscard]] inventory read_with_affinity();

/// Units the operating system has online, at least 1.
[[nodiscard]] unsigned online_units() noexcept;

}  // namespace evencube::detail
