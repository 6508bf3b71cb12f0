// Affinity masks: read, narrowed, put back; and a process that was started with a narrow one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include <evencube/machine.hpp>

#include "machine/affinity.hpp"

namespace evencube::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(machine_affinity, pinning_leaves_one_unit_and_the_guard_puts_the_rest_back) {
  const std::vector<unsigned> before = thread_affinity();
  ASSERT_THAT(before, Not(IsEmpty()));
  for (const unsigned unit : before) {
    const affinity_guard guard;
    ASSERT_TRUE(pin_current_thread(unit));
    EXPECT_THAT(thread_affinity(), ElementsAre(unit));
    EXPECT_EQ(sched_getcpu(), static_cast<int>(unit));
  }
  EXPECT_EQ(thread_affinity(), before);
}

TEST(machine_affinity, what_cannot_be_is_refused_and_changes_nothing) {
  const std::vector<unsigned> before = thread_affinity();
  EXPECT_FALSE(set_thread_affinity({}));
  EXPECT_FALSE(pin_current_thread(100000));
  EXPECT_FALSE(pin_current_thread(~0U));
  EXPECT_EQ(thread_affinity(), before);
}

TEST(machine_affinity, a_pinned_thread_does_not_narrow_the_process) {
  const std::vector<unsigned> before = process_affinity();
  std::thread([&] {
    ASSERT_TRUE(pin_current_thread(before.front()));
    EXPECT_EQ(process_affinity(), before);
    EXPECT_THAT(discover_machine().units, SizeIs(before.size()));
    EXPECT_THAT(discover_machine({.use_hwloc = false}).units, SizeIs(before.size()));
  }).join();
}

TEST(machine_affinity, names_are_cut_to_what_the_system_keeps) {
  std::thread([] {
    std::array<char, 16> name{};
    name_current_thread("evencube-3");
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "evencube-3");
    name_current_thread("evencube-balancer-of-cubes");
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "evencube-balanc");
  }).join();
}

// Runs `check` in a child that may use only `unit`, as after `taskset -c unit`; 0 if it returned
// true.
template <typename Check>
int in_child_on(unsigned unit, Check check) {
  const pid_t child = fork();
  if (child == 0) {
    if (!pin_current_thread(unit)) _exit(2);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(machine_affinity, a_process_bound_to_one_unit_sees_only_that) {
  for (const unsigned unit : process_affinity()) {
    for (const bool use_hwloc : {true, false}) {
      EXPECT_EQ(
          in_child_on(unit,
                      [&] {
                        const machine found = discover_machine({.use_hwloc = use_hwloc});
                        return found.units.size() == 1 && found.units[0].os_index == unit &&
                               found.default_workers == 1 &&
                               found.reason.starts_with("1 worker: 1 processing unit allowed (of ");
                      }),
          0)
          << "unit " << unit << ", hwloc " << use_hwloc;
    }
  }
}

TEST(machine_affinity, without_hwloc_every_allowed_unit_is_a_core) {
  const machine found = discover_machine({.use_hwloc = false});
  EXPECT_EQ(found.source, "sched_getaffinity");
  std::vector<unsigned> units;
  for (const processing_unit& unit : found.units) {
    EXPECT_EQ(unit.core, units.size());
    EXPECT_EQ(unit.smt_rank, 0U);
    units.push_back(unit.os_index);
  }
  EXPECT_EQ(units, process_affinity());
}

TEST(machine_affinity, a_topology_in_the_environment_does_not_widen_the_mask) {
  EXPECT_EQ(in_child_on(process_affinity().front(),
                        [] {
                          setenv("HWLOC_SYNTHETIC", "core:64 pu:2", 1);
                          const machine found = discover_machine();
                          return found.units.size() == 1;
                        }),
            0);
}

}  // namespace
}  // namespace evencube::detail
