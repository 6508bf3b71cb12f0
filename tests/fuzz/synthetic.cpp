// Machines in hwloc's synthetic language, and where workers are put on them.

#include <algorithm>
#include <evencube/machine.hpp>
#include <stdexcept>

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  if (size == 0) return 0;  // this machine
  try {
    const machine on = discover_machine({.synthetic = std::string(fuzz::text_of(data, size))});
    fuzz::require(!on.units.empty() && on.units.size() <= 65536, "a machine has units");
    const auto workers = std::min<unsigned>(on.default_workers + 1, 300);
    const auto placed = place_workers(on, workers);
    fuzz::require(placed.size() == workers, "each worker has a place");
    for (const unsigned unit : placed) fuzz::require(unit < on.units.size(), "which exists");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
