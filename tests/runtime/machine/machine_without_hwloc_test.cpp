// The sources as they are compiled where hwloc is not installed.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <evencube/machine.hpp>

#include "machine/affinity.hpp"

namespace evencube {
namespace {

TEST(machine_without_hwloc, the_affinity_mask_is_enough) {
  const machine found = discover_machine();
  EXPECT_EQ(found.source, detail::source_of_affinity());
  EXPECT_EQ(found.units.size(), detail::process_affinity().size());
  EXPECT_NE(found.reason.find("; caches and cores unknown: this build of EvenCube has no hwloc"),
            std::string::npos)
      << found.reason;
  EXPECT_EQ(place_workers(found, found.default_workers).size(), found.default_workers);
}

TEST(machine_without_hwloc, a_description_is_refused) {
  EXPECT_THROW(static_cast<void>(discover_machine({.synthetic = "core:2 pu:1"})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(discover_machine({.xml = "machine.xml"})), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
