// Affinity masks: read, narrowed, put back; and a process that was started with a narrow one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
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
using ::testing::StartsWith;

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

// It is read once, and again only where the process may run elsewhere.
TEST(machine_affinity, what_was_read_is_kept_until_the_mask_changes) {
  const std::vector<unsigned> before = process_affinity();
  if (before.size() < 2) GTEST_SKIP() << "there is one unit";
  const auto units_found = [] {
    std::vector<unsigned> numbers;
    for (const processing_unit& unit : discover_machine().units) numbers.push_back(unit.os_index);
    return numbers;
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(units_found(), before);
    {
      const affinity_guard back;  // no other thread is here
      ASSERT_TRUE(set_thread_affinity(std::span{&before.back(), 1}));
      EXPECT_THAT(units_found(), ElementsAre(before.back()));
    }
  }
  EXPECT_EQ(units_found(), before);
}

TEST(machine_affinity, names_are_cut_to_what_the_system_keeps) {
  std::thread([] {
    std::array<char, 16> name{};
    name_current_thread("evencube", "3");
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "evencube-3");
    name_current_thread("evencube-balancer", "of-cubes");
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "evencu-of-cubes");
  }).join();
}

// What `main` below prints of the machine in a process that was started, as by `taskset -c unit`,
// with the affinity mask of only that unit.
std::string described_by_child_on(unsigned unit, const char* how) {
  int output[2];
  if (pipe(output) != 0) return "(no pipe)";
  const pid_t child = fork();
  if (child == 0) {
    dup2(output[1], STDOUT_FILENO);
    if (pin_current_thread(unit)) execl("/proc/self/exe", "child", "--describe", how, nullptr);
    _exit(2);
  }
  close(output[1]);
  std::string text(4096, '\0');
  std::size_t length = 0;
  for (ssize_t got = 1; got > 0; length += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
    got = read(output[0], text.data() + length, text.size() - length);
  }
  close(output[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text.substr(0, length) : "(failed)";
}

TEST(machine_affinity, a_process_bound_to_one_unit_sees_only_that) {
  for (const unsigned unit : process_affinity()) {
    for (const char* how : {"hwloc", "plain"}) {
      const std::string text = described_by_child_on(unit, how);
      EXPECT_THAT(text, StartsWith("unit " + std::to_string(unit) +
                                   "\n1 worker: 1 processing unit" + " allowed (of "))
          << how;
    }
  }
}

TEST(machine_affinity, a_topology_in_the_environment_does_not_widen_the_mask) {
  setenv("HWLOC_SYNTHETIC", "core:64 pu:2", 1);
  const unsigned unit = process_affinity().front();
  EXPECT_THAT(described_by_child_on(unit, "hwloc"),
              StartsWith("unit " + std::to_string(unit) + "\n1 worker: "));
  unsetenv("HWLOC_SYNTHETIC");
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

}  // namespace
}  // namespace evencube::detail

// As a child of the tests above: says what the machine is.
int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--describe") {
    const evencube::machine found =
        evencube::discover_machine({.use_hwloc = std::string(argv[2]) == "hwloc"});
    for (const evencube::processing_unit& unit : found.units) {
      std::cout << "unit " << unit.os_index << "\n";
    }
    std::cout << found.reason << std::endl;
    return 0;
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
