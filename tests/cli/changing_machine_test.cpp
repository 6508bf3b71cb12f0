// What the machine gives to the program changes while it runs, or is set by control groups of the
// real system, where these may be made here: what is computed stays right, and nothing is harmed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

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

/// A group below that of this process, with one limit. It is empty again when it is removed.
class control_group {
 public:
  /// `v1` and `v2` are the file and what is written to it in the two versions.
  control_group(const std::string& controller, std::pair<std::string, std::string> v1,
                std::pair<std::string, std::string> v2) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      const auto names = line.find(':') + 1;
      const auto path = line.find(':', names) + 1;
      const bool second = path == names + 1;
      if (!second && line.substr(names, path - 1 - names) != controller) continue;
      const auto mount = std::filesystem::path("/sys/fs/cgroup") / (second ? "" : controller);
      if (make(mount / line.substr(path).substr(1), second ? v2 : v1)) return;
    }
  }
  control_group(const control_group&) = delete;
  control_group& operator=(const control_group&) = delete;
  ~control_group() {
    if (folder_) ::rmdir(folder_->c_str());
  }

  /// False where no such group may be made here.
  explicit operator bool() const { return folder_.has_value(); }

  /// The command in the folder and in the group.
  [[nodiscard]] outcome run(const scratch_folder& where, const std::string& command) const {
    return shell("cd '" + where.path().string() + "' && echo 0 > '" + folder_->string() +
                 "/cgroup.procs' && exec \"$0\" " + command);
  }

 private:
  bool make(const std::filesystem::path& parent, const std::pair<std::string, std::string>& limit) {
    const auto folder = parent / ("evencube-test-" + std::to_string(::getpid()));
    std::error_code refused;
    if (!std::filesystem::create_directory(folder, refused)) return false;
    folder_ = folder;
    std::ofstream file;
    if (std::filesystem::exists(folder / limit.first)) file.open(folder / limit.first);
    file << limit.second << std::flush;
    if (file.is_open() && file) return true;
    ::rmdir(folder.c_str());
    folder_.reset();
    return false;
  }

  std::optional<std::filesystem::path> folder_;
};

TEST(changing_machine, a_control_group_bounds_the_threads) {
  const scratch_folder folder;
  for (const char* const most : {"1", "2", "3"}) {
    const control_group group("pids", {"pids.max", most}, {"pids.max", most});
    if (!group) GTEST_SKIP() << "no such control group may be made here";
    EXPECT_EQ(group.run(folder, "topology --topology ring:5").status, 0);
    const auto result = group.run(folder, "run spin --size 50 --workers 8");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr("cannot start 8 worker threads: Resource temporarily"));
  }
}

TEST(changing_machine, a_control_group_pays_for_one_processor) {
  const scratch_folder folder;
  const control_group group("cpu", {"cpu.cfs_quota_us", "100000"}, {"cpu.max", "100000 100000"});
  if (!group) GTEST_SKIP() << "no such control group may be made here";
  const auto machine = group.run(folder, "topology --json");
  ASSERT_EQ(machine.status, 0) << machine.err;
  EXPECT_EQ(machine.as_json().at("workers").size(), 1U);
  const auto crowded = group.run(folder, "run spin --size 2000 --task-us 20 --workers 4");
  EXPECT_EQ(crowded.status, 0) << crowded.err;
  EXPECT_THAT(crowded.out, HasSubstr("verified"));
}

// The system ends what takes more than the group has, with no chance to say anything.
TEST(changing_machine, a_control_group_without_memory_harms_no_file) {
  const scratch_folder folder;
  const control_group group("memory", {"memory.limit_in_bytes", "20000000"},
                            {"memory.max", "20000000"});
  if (!group) GTEST_SKIP() << "no such control group may be made here";
  for (const std::string size : {"256", "512", "1024", "2048", "4096"}) {
    put_file(folder / "o.png", text_bytes("precious"));
    const auto result = group.run(folder, "run edges --workers 2 --output o.png --size " + size);
    SCOPED_TRACE(size + " -> " + std::to_string(result.status));
    EXPECT_THAT(result.status, AnyOf(0, 1, 2, 128 + 9)) << result.err;
    EXPECT_EQ(result.status == 0, file_bytes(folder / "o.png") != text_bytes("precious"));
    EXPECT_THAT(folder.names(), ElementsAre("o.png"));
  }
}

}  // namespace
}  // namespace evencube::cli::testing
