// What the machine gives to the program changes while it runs, or is set by control groups of the
// real system, where these may be made here: what is computed stays right, and nothing is harmed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../runtime/control_group.hpp"
#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using test::control_group;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::testing::file_bytes;
using workloads::testing::put_file;
using workloads::testing::scratch_folder;
using workloads::testing::text_bytes;

// All threads are driven from one end of the processors to the other and back, whatever they were
// pinned to, until the program ends.
TEST(changing_machine, processors_are_taken_away_and_given_back_while_it_runs) {
  for (const std::string command :
       {"run spin --size 10000 --task-us 50 --workers 4 --mode thread",
        "run spin --size 10000 --task-us 50 --workers 4 --mode on_idle --placement one",
        "run edges --size 1024 --tile 32 --workers 3 --repeat 20"}) {
    SCOPED_TRACE(command);
    const auto result = shell("exec timeout 300 sh -c '\"$0\" " + command +
                              R"( & pid=$!
      mask=$(taskset -p $$ | sed "s/.*: //")
      list=$(taskset -cp $$ | sed "s/.*: //")
      while kill -0 $pid; do
        taskset -acp ${list%%[-,]*} $pid
        taskset -acp ${list##*[-,]} $pid
        taskset -ap $mask $pid
      done > /dev/null 2>&1
      wait $pid' "$0")");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("verified"));
    EXPECT_EQ(result.err, "");
  }
}

/// Runs the command in the folder and in the group.
outcome run_in(const control_group& group, const scratch_folder& where,
               const std::string& command) {
  return shell("cd '" + where.path().string() + "' && echo 0 > '" + group.folder().string() +
               "/cgroup.procs' && exec \"$0\" " + command);
}

TEST(changing_machine, a_control_group_bounds_the_threads) {
  const scratch_folder folder;
  for (const char* const most : {"1", "2", "3"}) {
    const control_group group("pids", {"pids.max", most}, {"pids.max", most});
    if (!group) GTEST_SKIP() << "no such control group may be made here";
    EXPECT_EQ(run_in(group, folder, "topology --topology ring:5").status, 0);
    const auto result = run_in(group, folder, "run spin --size 50 --workers 8");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr("cannot start 8 worker threads: Resource temporarily"));
  }
}

TEST(changing_machine, a_control_group_pays_for_one_processor) {
  const scratch_folder folder;
  const control_group group(1.0);
  if (!group) GTEST_SKIP() << "no such control group may be made here";
  const auto machine = run_in(group, folder, "topology --json");
  ASSERT_EQ(machine.status, 0) << machine.err;
  EXPECT_EQ(machine.as_json().at("workers").size(), 1U);
  const auto crowded = run_in(group, folder, "run spin --size 2000 --task-us 20 --workers 4");
  EXPECT_EQ(crowded.status, 0) << crowded.err;
  EXPECT_THAT(crowded.out, HasSubstr("verified"));
}

// With two busy workers the system would stop the group for a part of each period.
TEST(changing_machine, a_control_group_with_a_quota_and_a_half_is_never_throttled) {
  const scratch_folder folder;
  const control_group group(1.5);
  if (!group) GTEST_SKIP() << "no such control group may be made here";
  const auto result = run_in(group, folder, "run spin --size 10000 --task-us 50 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("workers"), 1);
  EXPECT_EQ(group.throttled(), 0U);
}

// The system ends what takes more than the group has, with no chance to say anything.
TEST(changing_machine, a_control_group_without_memory_harms_no_file) {
  const scratch_folder folder;
  const control_group group("memory", {"memory.limit_in_bytes", "20000000"},
                            {"memory.max", "20000000"});
  if (!group) GTEST_SKIP() << "no such control group may be made here";
  for (const std::string size : {"256", "512", "1024", "2048", "4096"}) {
    put_file(folder / "o.png", text_bytes("precious"));
    const auto result =
        run_in(group, folder, "run edges --workers 2 --output o.png --size " + size);
    SCOPED_TRACE(size + " -> " + std::to_string(result.status));
    EXPECT_THAT(result.status, AnyOf(0, 1, 2, 128 + 9)) << result.err;
    EXPECT_EQ(result.status == 0, file_bytes(folder / "o.png") != text_bytes("precious"));
    EXPECT_THAT(folder.names(), ElementsAre("o.png"));
  }
}

}  // namespace
}  // namespace evencube::cli::testing
