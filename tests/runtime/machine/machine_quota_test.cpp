// CPU quotas of control groups, read from trees of files made for the purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include <evencube/machine.hpp>

#include "machine/cgroup.hpp"
#include "machine/quota_watch.hpp"

namespace evencube {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class machine_quota : public ::testing::Test {
 public:
  machine_quota() {
    std::string pattern = (fs::temp_directory_path() / "evencube-cgroup-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    root_ = pattern;
  }
  ~machine_quota() override { fs::remove_all(root_); }
  machine_quota(const machine_quota&) = delete;
  machine_quota& operator=(const machine_quota&) = delete;

 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  void v2_process(const std::string& group, const std::string& mount_root = "/") const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
          "35 24 0:30 " +
              mount_root + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  }

  void v1_process(const std::string& group, const std::string& mount_root = "/") const {
    write("proc/self/cgroup",
          "5:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n3:cpuset:/elsewhere\n0::/ignored\n");
    write("proc/self/mountinfo",
          "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
          "32 31 0:29 " +
              mount_root +
              " /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:1 - cgroup cgroup rw,cpu,cpuacct\n");
  }

  void v1_limit(const std::string& group, const std::string& quota, const std::string& period) {
    write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota + "\n");
    write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period + "\n");
  }

  double quota() const { return detail::read_cpu_quota(root_).cpus; }

  machine eight_units() const {
    return discover_machine({.synthetic = "core:8 pu:1", .root = root_});
  }

  fs::path root_;
};

TEST_F(machine_quota, v2_group_sets_it) {
  v2_process("/jobs/a");
  write("sys/fs/cgroup/jobs/a/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/jobs/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 1.5);
  const machine found = eight_units();
  EXPECT_EQ(found.quota, 1.5);
  EXPECT_EQ(found.default_workers, 1U);
  EXPECT_EQ(found.reason,
            "1 worker: CPU quota of 1.5 (cgroup v2 /jobs/a), 8 processing units allowed (of 8)");
}

TEST_F(machine_quota, half_a_cpu_still_makes_one_worker) {
  v2_process("/");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  const machine found = eight_units();
  EXPECT_EQ(found.quota, 0.5);
  EXPECT_EQ(found.default_workers, 1U);
  EXPECT_THAT(found.reason, HasSubstr("1 worker: CPU quota of 0.5 (cgroup v2 /)"));
}

TEST_F(machine_quota, whole_cpus_make_as_many_workers_and_parts_make_none) {
  v2_process("/some");
  for (const auto& [quota, workers] :
       {std::pair("100000", 1U), std::pair("199999", 1U), std::pair("200000", 2U),
        std::pair("790000", 7U), std::pair("800000", 8U), std::pair("800001", 8U)}) {
    write("sys/fs/cgroup/some/cpu.max", std::string(quota) + " 100000\n");
    EXPECT_EQ(eight_units().default_workers, workers) << quota;
  }
}

TEST_F(machine_quota, the_smallest_limit_on_the_way_up_counts) {
  v2_process("/outer/middle/inner");
  write("sys/fs/cgroup/outer/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/outer/middle/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/outer/middle/inner/cpu.max", "600000 100000\n");
  const machine found = eight_units();
  EXPECT_EQ(found.default_workers, 2U);
  EXPECT_THAT(found.reason, HasSubstr("cgroup v2 /outer/middle)"));
}

TEST_F(machine_quota, a_quota_wider_than_the_machine_changes_nothing) {
  v2_process("/wide");
  write("sys/fs/cgroup/wide/cpu.max", "9000000000000000 1000\n");
  const machine found = eight_units();
  EXPECT_EQ(found.default_workers, 8U);
  EXPECT_THAT(found.reason, HasSubstr("8 workers: 8 processing units allowed (of 8), CPU quota"));
}

TEST_F(machine_quota, v2_period_may_be_left_out) {
  v2_process("/short");
  write("sys/fs/cgroup/short/cpu.max", "200000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(machine_quota, v2_container_that_mounts_its_own_group_as_root) {
  v2_process("/docker/abc/inner", "/docker/abc");
  write("sys/fs/cgroup/inner/cpu.max", "max\n");
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(machine_quota, a_group_outside_the_namespace_leaves_the_limits_at_the_top) {
  v2_process("/../neighbour");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/neighbour/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(machine_quota, v1_quota_and_period) {
  v1_process("/slice/job");
  v1_limit("/slice/job", "75000", "50000");
  v1_limit("/slice", "-1", "100000");
  EXPECT_EQ(quota(), 1.5);
  EXPECT_THAT(eight_units().reason, HasSubstr("(cgroup v1 /slice/job)"));
}

TEST_F(machine_quota, v1_looks_above_too) {
  v1_process("/slice/job");
  v1_limit("/slice/job", "-1", "100000");
  v1_limit("/slice", "50000", "100000");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(machine_quota, hybrid_hierarchies_are_both_read) {
  write("proc/self/cgroup", "1:cpu:/old\n0::/new\n");
  write("proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu/old/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 4.0);
  write("sys/fs/cgroup/unified/new/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(machine_quota, mount_points_with_blanks_and_groups_with_colons) {
  write("proc/self/cgroup", "0::/a:b/c d\n");
  write("proc/self/mountinfo",
        "35 24 0:30 / /control\\040groups\\134x rw master:1 propagate_from:2 - cgroup2 none rw\n");
  write("control groups\\x/a:b/c d/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(machine_quota, what_makes_no_sense_sets_no_limit) {
  EXPECT_TRUE(std::isinf(quota()));  // no files at all
  v2_process("/odd");
  for (const char* text :
       {"", "garbage", "0 100000", "-5 100000", "100000 0", "100000 -1", "nan 1", "max"}) {
    write("sys/fs/cgroup/odd/cpu.max", text);
    EXPECT_TRUE(std::isinf(quota())) << text;
  }
  write("proc/self/mountinfo", "short line\n1 2 3 - \n- - - - - - -\n");
  EXPECT_TRUE(std::isinf(quota()));
  write("proc/self/cgroup", "\n:\nno colons\n");
  EXPECT_TRUE(std::isinf(quota()));
}

TEST_F(machine_quota, a_described_machine_has_no_quota_of_this_one) {
  EXPECT_TRUE(std::isinf(discover_machine({.synthetic = "core:2 pu:1"}).quota));
}

TEST_F(machine_quota, applies_to_the_affinity_mask_as_well) {
  v2_process("/half");
  write("sys/fs/cgroup/half/cpu.max", "50000 100000\n");
  const machine found = discover_machine({.root = root_, .use_hwloc = false});
  EXPECT_EQ(found.default_workers, 1U);
  EXPECT_EQ(found.source, "sched_getaffinity");
}

// One processor of the quota is left to the rest of the program.
TEST_F(machine_quota, leaves_room_beyond_the_workers) {
  const std::string root = root_.string();
  for (const double quota : {1.5, 2.0, 2.5, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(detail::quota_watch(2, quota, 0, root).leaves_room(), quota > 2) << quota;
  }
}

TEST_F(machine_quota, is_read_again_once_a_second) {
  constexpr std::int64_t second = detail::quota_watch::between_readings_ns;
  v2_process("/resized");
  write("sys/fs/cgroup/resized/cpu.max", "400000 100000\n");
  detail::quota_watch watch(2, 4.0, 7, root_.string());
  EXPECT_FALSE(watch.claim_reading(7));
  EXPECT_FALSE(watch.claim_reading(6 + second));
  EXPECT_TRUE(watch.leaves_room());

  write("sys/fs/cgroup/resized/cpu.max", "200000 100000\n");
  EXPECT_TRUE(watch.leaves_room());
  ASSERT_TRUE(watch.claim_reading(7 + second));
  EXPECT_FALSE(watch.claim_reading(8 + second)) << "another thread reads it";
  watch.read();
  EXPECT_FALSE(watch.leaves_room());

  write("sys/fs/cgroup/resized/cpu.max", "max 100000\n");
  ASSERT_TRUE(watch.claim_reading(7 + 2 * second));
  watch.read();
  EXPECT_TRUE(watch.leaves_room());
}

}  // namespace
}  // namespace evencube
