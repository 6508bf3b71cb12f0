// The twin of hwloc_inventory.cpp for builds without hwloc.
#include "machine/inventory.hpp"

namespace evencube::detail {

bool hwloc_available() noexcept { return false; }

std::optional<inventory> read_with_hwloc(const machine_options& /*options*/, std::string& reason) {
  reason = "this build of EvenCube has no hwloc";
  return std::nullopt;
}

void lock_inventory() noexcept {}
void unlock_inventory() noexcept {}

}  // namespace evencube::detail
