#include <unistd.h>

#include <algorithm>

#include "machine/affinity.hpp"
#include "machine/inventory.hpp"

namespace evencube::detail {

unsigned online_units() noexcept {
  return static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

inventory read_with_affinity() {
  std::vector<unsigned> allowed = process_affinity();
  // Even if the system does not report its mask, the process runs somewhere; unit 0 always exists.
  if (allowed.empty()) allowed.push_back(0);
  inventory found;
  for (const unsigned os_index : allowed) {
    const auto index = static_cast<unsigned>(found.units.size());
    found.units.push_back(
        {.os_index = os_index, .core = index, .l2_group = index, .l3_group = index});
  }
  found.present = std::max(online_units(), static_cast<unsigned>(found.units.size()));
  return found;
}

}  // namespace evencube::detail
