#include <algorithm>

#include "machine/inventory.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {

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
