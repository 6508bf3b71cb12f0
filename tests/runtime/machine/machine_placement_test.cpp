// The places of the hypercube's workers on the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include <evencube/machine.hpp>

namespace evencube {
namespace {

using ::testing::ElementsAre;

machine synthetic(const std::string& description) {
  return discover_machine({.synthetic = description});
}

machine recorded(const std::string& file) {
  return discover_machine({.xml = std::filesystem::path(EVENCUBE_TEST_DATA) / file});
}

// The distance of two units: 0 same unit, 1 core, 2 L2, 3 L3, 4 NUMA node, 5 package, 6 machine.
unsigned separation(const processing_unit& a, const processing_unit& b) {
  if (a.os_index == b.os_index) return 0;
  if (a.core == b.core) return 1;
  if (a.l2_group == b.l2_group) return 2;
  if (a.l3_group == b.l3_group) return 3;
  if (a.numa_node == b.numa_node) return 4;
  return a.package == b.package ? 5 : 6;
}

unsigned widest(const machine& on, const std::vector<unsigned>& placed, unsigned dimension) {
  unsigned most = 0;
  for (std::size_t worker = 0; worker < placed.size(); ++worker) {
    const std::size_t neighbour = worker ^ (std::size_t{1} << dimension);
    if (neighbour >= placed.size()) continue;
    most = std::max(most, separation(on.units[placed[worker]], on.units[placed[neighbour]]));
  }
  return most;
}

TEST(machine_placement, a_full_machine_has_one_level_per_dimension) {
  const machine on = synthetic("pack:2 numa:2 l3:2 l2:2 core:2 pu:2");
  const std::vector<unsigned> placed = place_workers(on, 64);
  for (unsigned dimension = 0; dimension < 6; ++dimension) {
    EXPECT_EQ(widest(on, placed, dimension), dimension + 1) << dimension;
  }
}

TEST(machine_placement, neighbours_over_dimension_0_share_a_cache_for_any_count) {
  const machine on = synthetic("numa:2 l3:2 core:4 pu:2");
  for (unsigned workers = 1; workers <= on.units.size(); ++workers) {
    EXPECT_LE(widest(on, place_workers(on, workers), 0), 3U) << workers << " workers";
  }
}

TEST(machine_placement, both_units_of_a_core_are_neighbours_over_dimension_0) {
  const machine on = synthetic("numa:2 l3:2 core:3 pu:2");
  for (unsigned workers = 1; workers <= on.units.size(); ++workers) {
    const std::vector<unsigned> placed = place_workers(on, workers);
    for (std::size_t a = 0; a < placed.size(); ++a) {
      for (std::size_t b = a + 1; b < placed.size(); ++b) {
        if (on.units[placed[a]].core == on.units[placed[b]].core) {
          EXPECT_EQ(a ^ b, 1U) << workers << " workers, " << a << " and " << b;
        }
      }
    }
  }
}

TEST(machine_placement, groups_of_three_lose_no_more_pairs_than_they_must) {
  // 3 + 3 cores: one pair has to cross, whatever the order.
  const machine on = synthetic("numa:2 l3:1 core:3 pu:1");
  const std::vector<unsigned> placed = place_workers(on, 6);
  unsigned crossing = 0;
  for (std::size_t worker = 0; worker < 6; worker += 2) {
    crossing +=
        on.units[placed[worker]].l3_group != on.units[placed[worker + 1]].l3_group ? 1U : 0U;
  }
  EXPECT_EQ(crossing, 1U);
}

TEST(machine_placement, dimensions_below_a_full_group_stay_inside_it) {
  for (const char* description :
       {"pack:2 numa:1 l3:2 core:4 pu:2", "numa:3 l3:1 core:8 pu:1", "pack:1 l3:6 l2:2 core:2 pu:1",
        "pack:2 numa:4 l3:2 core:4 pu:2"}) {
    const machine on = synthetic(description);
    std::map<unsigned, std::size_t> sizes;
    for (const processing_unit& unit : on.units) ++sizes[unit.l3_group];
    const auto dimensions = static_cast<unsigned>(std::countr_zero(sizes[0]));
    const auto workers = static_cast<unsigned>(on.units.size());
    const std::vector<unsigned> placed = place_workers(on, workers);
    for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
      EXPECT_LE(widest(on, placed, dimension), 3U) << description << ", dimension " << dimension;
    }
  }
}

TEST(machine_placement, every_unit_is_used_once_before_any_is_used_twice) {
  for (const char* description : {"pu:1", "core:2 pu:1", "core:3 pu:1", "numa:2 l3:2 core:4 pu:2",
                                  "pack:2 numa:4 l3:2 core:4 pu:2"}) {
    const machine on = synthetic(description);
    const auto units = static_cast<unsigned>(on.units.size());
    for (unsigned workers = 1; workers <= 2 * units + 1; ++workers) {
      const std::vector<unsigned> placed = place_workers(on, workers);
      ASSERT_EQ(placed.size(), workers);
      EXPECT_EQ(std::set<unsigned>(placed.begin(), placed.end()).size(), std::min(workers, units));
      for (unsigned worker = units; worker < workers; ++worker) {
        EXPECT_EQ(placed[worker], placed[worker % units]);
      }
    }
  }
}

TEST(machine_placement, thousands_of_units_get_one_worker_each) {
  const machine on = synthetic("pack:16 core:128 pu:2");
  const std::vector<unsigned> placed = place_workers(on, 4096);
  EXPECT_EQ(std::set<unsigned>(placed.begin(), placed.end()).size(), 4096U);
}

TEST(machine_placement, every_core_gets_one_worker_before_any_gets_two) {
  const machine on = synthetic("pack:2 l3:2 core:4 pu:4");
  for (unsigned workers = 1; workers <= on.units.size(); ++workers) {
    std::map<unsigned, unsigned> per_core;
    for (const unsigned unit : place_workers(on, workers)) ++per_core[on.units[unit].core];
    EXPECT_EQ(per_core.size(), std::min(workers, 16U));
    const auto [least, most] =
        std::ranges::minmax_element(per_core, {}, [](const auto& entry) { return entry.second; });
    EXPECT_LE(most->second - least->second, 1U) << workers;
  }
}

TEST(machine_placement, few_workers_sit_together) {
  const machine on = synthetic("pack:2 l3:2 core:4 pu:1");
  const std::vector<unsigned> placed = place_workers(on, 4);
  EXPECT_LE(widest(on, placed, 0), 3U);
  EXPECT_LE(widest(on, placed, 1), 3U);
}

TEST(machine_placement, fast_kinds_come_first) {
  const machine on = recorded("hybrid.xml");
  for (unsigned workers = 1; workers <= 12; ++workers) {
    const std::vector<unsigned> placed = place_workers(on, workers);
    EXPECT_EQ(on.units[placed[0]].kind, 1U) << workers << " workers";
    const auto fast =
        std::ranges::count_if(placed, [&](unsigned unit) { return on.units[unit].kind == 1; });
    // Two fast cores, then eight slow ones, then the siblings of the fast cores.
    EXPECT_EQ(fast, workers <= 10 ? std::min(workers, 2U) : workers - 8) << workers << " workers";
  }
}

TEST(machine_placement, worker_0_is_fast_even_if_the_fast_block_is_small) {
  // Two fast cores next to eight slow ones: the largest block is slow, and gives its first place
  // away.
  const machine on = recorded("hybrid.xml");
  const std::vector<unsigned> placed = place_workers(on, 10);
  EXPECT_EQ(on.units[placed[0]].kind, 1U);
  EXPECT_EQ(on.units[placed[1]].kind, 1U);
  EXPECT_LE(widest(on, placed, 0), 3U);
  EXPECT_EQ(separation(on.units[placed[8]], on.units[placed[9]]), 2U);
}

TEST(machine_placement, near_numa_nodes_share_the_lower_dimension) {
  // Distances: 0-2 and 1-3 are nearest, then 0-1 and 2-3, then the diagonals.
  const machine on = recorded("four_nodes.xml");
  std::vector<unsigned> nodes;
  for (const unsigned unit : place_workers(on, 4)) nodes.push_back(on.units[unit].numa_node);
  EXPECT_THAT(nodes, ElementsAre(0, 2, 1, 3));
}

TEST(machine_placement, a_cache_that_spans_two_numa_nodes_does_not_confuse_it) {
  machine on;
  for (unsigned i = 0; i < 8; ++i) {
    on.units.push_back(
        {.os_index = i, .core = i, .numa_node = i / 4, .l2_group = i, .l3_group = 0});
  }
  const std::vector<unsigned> placed = place_workers(on, 8);
  EXPECT_THAT(placed, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(machine_placement, distances_of_the_wrong_size_are_ignored) {
  machine on = recorded("four_nodes.xml");
  on.numa_distances.pop_back();
  EXPECT_THAT(place_workers(on, 4), ElementsAre(0, 1, 2, 3));
}

TEST(machine_placement, no_workers_and_no_units_are_refused) {
  EXPECT_THROW(static_cast<void>(place_workers(synthetic("core:2 pu:1"), 0)),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(place_workers(machine{}, 1)), std::invalid_argument);
}

// The units that a worker may use around its place, as numbers of the operating system.
std::vector<unsigned> around(const machine& on, unsigned os_index, pinning policy) {
  const auto at = std::ranges::find(on.units, os_index, &processing_unit::os_index);
  return units_to_pin_to(on, static_cast<unsigned>(at - on.units.begin()), policy);
}

TEST(units_to_pin_to, grow_from_the_unit_to_the_node) {
  // Two nodes of two caches each, two cores below each cache, two units on each core: 16.
  const machine on = synthetic("numa:2 l3:2 core:2 pu:2");
  ASSERT_EQ(on.units.size(), 16U);
  EXPECT_THAT(around(on, 5, pinning::unit), ElementsAre(5));
  EXPECT_THAT(around(on, 5, pinning::core), ElementsAre(4, 5));
  EXPECT_THAT(around(on, 5, pinning::cache), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(around(on, 5, pinning::numa), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(around(on, 5, pinning::none), ElementsAre());
  EXPECT_THAT(around(on, 14, pinning::core), ElementsAre(14, 15));
  EXPECT_THAT(around(on, 14, pinning::cache), ElementsAre(12, 13, 14, 15));
}

TEST(units_to_pin_to, take_the_second_cache_for_the_last_where_there_is_no_third) {
  const machine on = synthetic("l2:2 core:2 pu:1");
  EXPECT_THAT(around(on, 2, pinning::cache), ElementsAre(2, 3));
  EXPECT_THAT(around(on, 2, pinning::numa), ElementsAre(0, 1, 2, 3));
  EXPECT_THROW(static_cast<void>(units_to_pin_to(on, 4, pinning::unit)), std::invalid_argument);
}

TEST(pinning_names, lead_back) {
  for (const auto policy :
       {pinning::unit, pinning::core, pinning::cache, pinning::numa, pinning::none}) {
    EXPECT_EQ(parse_pinning(to_string(policy)), policy);
  }
  EXPECT_THROW(static_cast<void>(parse_pinning("Core")), std::invalid_argument);
}

}  // namespace
}  // namespace evencube
