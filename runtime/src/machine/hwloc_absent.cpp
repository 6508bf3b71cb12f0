// The twin of hwloc_inventory.cpp for builds without hwloc.
#include "machine/inventory.hpp"

namespace evencube::detail {

bool hwloc_available() noexcept { return false; }

std::optional<inventory> read_with_hwloc(const machine_options& /*options*/, std::string& why) {
  why = "this build of EvenCube has no hwloc";
  return std::nullopt;
}

binding_lease::binding_lease() noexcept = default;
binding_lease::~binding_lease() = default;

void lock_inventory() noexcept {}
void unlock_inventory() noexcept {}

bool bind_with_hwloc(unsigned /*os_index*/) noexcept { return false; }

}  // namespace evencube::detail
