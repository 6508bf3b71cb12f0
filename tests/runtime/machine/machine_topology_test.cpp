// What hwloc's view of a machine becomes: numbers of cores, caches, nodes and kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>

#include <evencube/machine.hpp>

namespace evencube {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

machine synthetic(const std::string& description) {
  return discover_machine({.synthetic = description});
}

machine recorded(const std::string& file) {
  return discover_machine({.xml = std::filesystem::path(EVENCUBE_TEST_DATA) / file});
}

template <typename Member>
std::vector<unsigned> all(const machine& on, Member member) {
  std::vector<unsigned> values;
  values.reserve(on.units.size());
  for (const processing_unit& unit : on.units) values.push_back(unit.*member);
  return values;
}

TEST(machine_topology, one_unit_is_a_whole_machine) {
  const machine found = synthetic("pu:1");
  ASSERT_THAT(found.units, SizeIs(1));
  EXPECT_EQ(found.units[0].os_index, 0U);
  EXPECT_EQ(found.units[0].core, 0U);
  EXPECT_EQ(found.units[0].capacity, 1.0);
  EXPECT_EQ(found.default_workers, 1U);
  EXPECT_EQ(found.reason, "1 worker: 1 processing unit allowed (of 1), no CPU quota");
  EXPECT_EQ(found.source, "hwloc");
}

// hwloc would make them all before anybody could refuse them.
TEST(machine_topology, descriptions_of_very_many_units_are_refused) {
  for (const char* description :
       {"pack:1000 core:1000 pu:4", "pu:8193", "pack:256 core:33 pu:1", "8193", "6 2 16 2 16 3[nu]",
        "6 2 16 3 2 16 2 ", "pack:99999999999999999999 pu:1",
        "numa:4294967296 core:4294967296 pu:4294967296",
        "pack:8(memory=1) [numa:1] core:8193(indexes=1) pu:1"}) {
    try {
      (void)synthetic(description);
      FAIL() << description << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_THAT(problem.what(), HasSubstr("more than 8192 processing units")) << description;
      EXPECT_THAT(problem.what(), HasSubstr(description));
    }
  }
  EXPECT_THAT(synthetic("pack:4 [numa:2(memory=1048576)] core:2 pu:2").units, SizeIs(16));
}

// hwloc keeps sets of all units for each part, half a gigabyte for what some lines described.
TEST(machine_topology, descriptions_of_very_many_parts_are_refused) {
  std::string deep = "20 20 20";
  std::string rich = "16 16 16 2";
  for (int i = 0; i < 100; ++i) {
    deep += " 1";
    rich += "[numa]";
  }
  for (const std::string& description : {deep, rich}) {
    try {
      (void)synthetic(description);
      FAIL() << description << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_THAT(problem.what(), HasSubstr("more than 32768 parts")) << description;
      EXPECT_THAT(problem.what(), HasSubstr(description));
    }
  }
  EXPECT_THAT(synthetic("2 2 2 2 2 2 2 2 2 2 2 2 2[numa]").units, SizeIs(8192));
}

// The time that hwloc takes grows with the third power of the parts on one level.
TEST(machine_topology, descriptions_that_hwloc_would_need_minutes_for_are_refused) {
  for (const char* description :
       {"pu:8192", "8192", "pack:8000 pu:1", "core:4096 pu:2", "pack:2 core:4096 pu:1"}) {
    try {
      (void)synthetic(description);
      FAIL() << description << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_THAT(problem.what(), HasSubstr("too many parts on one level")) << description;
      EXPECT_THAT(problem.what(), HasSubstr(description));
    }
  }
  EXPECT_THAT(synthetic("pack:8 core:64 pu:8").units, SizeIs(4096));
}

TEST(machine_topology, two_and_three_cores_without_described_caches_share_none) {
  for (const unsigned cores : {2U, 3U}) {
    const machine found = synthetic("core:" + std::to_string(cores) + " pu:1");
    ASSERT_THAT(found.units, SizeIs(cores));
    EXPECT_EQ(found.default_workers, cores);
    for (unsigned i = 0; i < cores; ++i) {
      EXPECT_EQ(found.units[i].core, i);
      EXPECT_EQ(found.units[i].l2_group, i);
      EXPECT_EQ(found.units[i].l3_group, i);
      EXPECT_EQ(found.units[i].numa_node, 0U);
    }
  }
}

TEST(machine_topology, two_numa_nodes_of_four_cores) {
  const machine found = synthetic("pack:2 numa:1 l3:1 core:4 pu:1");
  EXPECT_THAT(all(found, &processing_unit::numa_node), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(all(found, &processing_unit::package), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(all(found, &processing_unit::l3_group), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(all(found, &processing_unit::l2_group), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(found.reason, "8 workers: 8 processing units allowed (of 8), no CPU quota");
}

TEST(machine_topology, smt_siblings_are_ranked_within_their_core) {
  const machine found = synthetic("core:2 pu:4");
  EXPECT_THAT(all(found, &processing_unit::core), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(all(found, &processing_unit::smt_rank), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(machine_topology, shared_second_level_caches_are_groups) {
  const machine found = synthetic("l3:1 l2:2 core:2 pu:1");
  EXPECT_THAT(all(found, &processing_unit::l2_group), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(all(found, &processing_unit::l3_group), ElementsAre(0, 0, 0, 0));
}

TEST(machine_topology, operating_systems_numbers_are_kept_apart_from_positions) {
  // Units numbered as Linux often does: the second siblings after all the first ones.
  const machine found = synthetic("core:2 pu:2(indexes=0,2,1,3)");
  EXPECT_THAT(all(found, &processing_unit::os_index), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(all(found, &processing_unit::core), ElementsAre(0, 0, 1, 1));
}

TEST(machine_topology, a_hundred_and_twenty_eight_units) {
  const machine found = synthetic("pack:2 numa:4 l3:2 core:4 pu:2");
  ASSERT_THAT(found.units, SizeIs(128));
  EXPECT_EQ(found.default_workers, 128U);
  EXPECT_EQ(found.units.back().core, 63U);
  EXPECT_EQ(found.units.back().l3_group, 15U);
  EXPECT_EQ(found.units.back().numa_node, 7U);
  EXPECT_EQ(found.units.back().package, 1U);
}

TEST(machine_topology, hybrid_kinds_are_ranked_and_weighed_by_frequency) {
  const machine found = recorded("hybrid.xml");
  ASSERT_THAT(found.units, SizeIs(12));
  for (const processing_unit& unit : found.units) {
    const bool fast = unit.os_index < 4;
    EXPECT_EQ(unit.kind, fast ? 1U : 0U) << unit.os_index;
    EXPECT_DOUBLE_EQ(unit.capacity, fast ? 1.0 : 0.75) << unit.os_index;
  }
  EXPECT_THAT(all(found, &processing_unit::l2_group),
              ElementsAre(0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
}

TEST(machine_topology, kinds_of_units_that_are_not_allowed_do_not_count) {
  const machine found = recorded("hybrid_slow_only.xml");
  EXPECT_THAT(all(found, &processing_unit::os_index), ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_THAT(all(found, &processing_unit::kind), Each(0U));
  EXPECT_THAT(all(found, &processing_unit::l2_group), ElementsAre(0, 0, 0, 0, 1, 1));
  for (const processing_unit& unit : found.units) EXPECT_EQ(unit.capacity, 1.0);
  EXPECT_EQ(found.reason, "6 workers: 6 processing units allowed (of 12), no CPU quota");
}

TEST(machine_topology, numa_distances_are_those_of_the_firmware) {
  EXPECT_THAT(recorded("four_nodes.xml").numa_distances,
              ElementsAre(10, 31, 21, 41, 31, 10, 41, 21, 21, 41, 10, 31, 41, 21, 31, 10));
  EXPECT_THAT(recorded("hybrid.xml").numa_distances, IsEmpty());
}

template <typename Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(not refused)";
}

TEST(machine_topology, bad_descriptions_are_refused_by_value) {
  EXPECT_THAT(refusal([] { synthetic("nonsense:4"); }), HasSubstr("\"nonsense:4\""));
  EXPECT_THAT(refusal([] { synthetic("pack:2 [numa] core:2"); }), HasSubstr("units, pu:2"));
  EXPECT_THAT(refusal([] { synthetic("core:2"); }), HasSubstr("units, pu:2"));
  // Here hwloc reads a name up to the colon, and so more levels than brackets leave.
  EXPECT_THAT(refusal([] { synthetic("nu(size=:2 l2:1 core:655363 pu:20"); }),
              HasSubstr("units, pu:2"));
  EXPECT_THAT(refusal([] { synthetic("core:2(size=3 pu:2"); }), HasSubstr("units, pu:2"));
  // hwloc refuses these too, and keeps the memory of what is attached: found by the leak checker.
  EXPECT_THAT(refusal([] { synthetic("[numa:1]numa:2 core:3 pu:2"); }), HasSubstr("not both"));
  EXPECT_THAT(refusal([] { synthetic("[numa] core:3 core:3 pu:2"); }),
              HasSubstr("hwloc understands"));
  EXPECT_THAT(synthetic("pack:2 [numa] core:2(memory=1) [numa] pu:2").units, SizeIs(8));
  EXPECT_THAT(synthetic("(memory=1048576) core:2 pu:2(indexes=0,2,1,3)").units, SizeIs(4));
  EXPECT_THAT(refusal([] { recorded("no_such_file.xml"); }), HasSubstr("no_such_file.xml"));
  EXPECT_THAT(
      refusal([] { static_cast<void>(discover_machine({.synthetic = "core:2", .xml = "a.xml"})); }),
      HasSubstr("not both"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(discover_machine({.synthetic = "core:2", .use_hwloc = false}));
              }),
              HasSubstr("only hwloc"));
}

TEST(machine_topology, this_machine_is_described_without_gaps) {
  const machine found = discover_machine();
  ASSERT_FALSE(found.units.empty());
  EXPECT_GE(found.default_workers, 1U);
  EXPECT_LE(found.default_workers, found.units.size());
  std::set<unsigned> os_indices, cores;
  unsigned most = 0;
  for (const processing_unit& unit : found.units) {
    os_indices.insert(unit.os_index);
    cores.insert(unit.core);
    most = std::max(most, unit.core);
    EXPECT_GT(unit.capacity, 0.0);
    EXPECT_LE(unit.capacity, 1.0);
  }
  EXPECT_EQ(os_indices.size(), found.units.size());
  EXPECT_EQ(cores.size(), most + 1U);
}

}  // namespace
}  // namespace evencube
