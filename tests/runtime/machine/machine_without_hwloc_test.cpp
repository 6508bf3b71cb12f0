// The sources as they are compiled where hwloc is not installed.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <evencube/machine.hpp>

#include "machine/affinity.hpp"
#include "machine/inventory.hpp"

namespace evencube {
namespace {

TEST(machine_without_hwloc, the_affinity_mask_is_enough) {
  const machine found = discover_machine();
  EXPECT_EQ(found.source, detail::source_of_affinity());
  EXPECT_EQ(found.units.size(), detail::process_affinity().size());
  // Unless the system lists them itself.
  EXPECT_EQ(found.reason.find("; caches and cores unknown: this build of EvenCube has no hwloc") ==
                std::string::npos,
            !detail::places_of_units().empty())
      << found.reason;
  EXPECT_EQ(place_workers(found, found.default_workers).size(), found.default_workers);
}

TEST(machine_without_hwloc, units_have_the_places_that_the_system_lists) {
  // Two packages. The first has a core of two units, which is the faster one, and a slow core.
  const std::vector<detail::place_of_unit> places{
      // unit, package, node, L3, L2, core, kind
      {0, 9, 4, 7, 3, 3, 0},
      {1, 9, 4, 7, 1, 1, 5},
      {2, 12, 6, 8, 2, 2, 5},
      {64, 9, 4, 7, 1, 1, 5},
  };
  const std::vector<unsigned> all{0, 1, 2, 64};
  const std::vector<processing_unit> units = detail::units_at(all, places);
  ASSERT_EQ(units.size(), 4U);
  const auto numbers = [&](unsigned processing_unit::* member) {
    std::vector<unsigned> found;
    for (const processing_unit& unit : units) found.push_back(unit.*member);
    return found;
  };
  using list = std::vector<unsigned>;
  EXPECT_EQ(numbers(&processing_unit::os_index), (list{1, 64, 0, 2}));
  EXPECT_EQ(numbers(&processing_unit::core), (list{0, 0, 1, 2}));
  EXPECT_EQ(numbers(&processing_unit::smt_rank), (list{0, 1, 0, 0}));
  EXPECT_EQ(numbers(&processing_unit::l2_group), (list{0, 0, 1, 2}));
  EXPECT_EQ(numbers(&processing_unit::l3_group), (list{0, 0, 0, 1}));
  EXPECT_EQ(numbers(&processing_unit::numa_node), (list{0, 0, 0, 1}));
  EXPECT_EQ(numbers(&processing_unit::package), (list{0, 0, 0, 1}));
  EXPECT_EQ(numbers(&processing_unit::kind), (list{1, 1, 0, 1}));

  const std::vector<unsigned> slow{0};
  EXPECT_EQ(detail::units_at(slow, places).at(0).kind, 0U);
  const std::vector<unsigned> unlisted{0, 3};
  EXPECT_TRUE(detail::units_at(unlisted, places).empty());
}

TEST(machine_without_hwloc, a_description_is_refused) {
  EXPECT_THROW(static_cast<void>(discover_machine({.synthetic = "core:2 pu:1"})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(discover_machine({.xml = "machine.xml"})), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
