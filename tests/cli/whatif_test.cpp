// evencube whatif: replays of a recorded run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/simulator/trace.hpp>
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;

class whatif_command : public ::testing::Test {
 protected:
  // Eight tasks of 1 ms, spawned by a root on worker 0; half of them ran on worker 1.
  whatif_command()
      : file_(std::filesystem::path(::testing::TempDir()) /
              (std::string("evencube_whatif_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    simulator::trace t;
    t.workload = "eight";
    t.balancer = "oem";
    t.topology = "cube:2";
    t.makespan = 4'000'000;
    t.tasks.push_back({simulator::no_task, 0, 0, 0, 0, 4'000'000});
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t start = std::uint64_t{i / 2} * 1'000'000;
      t.tasks.push_back({0, 0, 0, i % 2, start, start + 1'000'000});
      if (i % 2 == 1) {
        t.migrations.push_back({i + 1, 0, 0, 1, simulator::trace::migration::unplanned});
      }
    }
    t.waits.push_back({0, 0, 4'000'000});
    simulator::write_trace(t, file_);
  }
  ~whatif_command() override { std::filesystem::remove(file_); }

  std::filesystem::path file_;
};

TEST_F(whatif_command, replays_under_other_strategies_and_worker_counts) {
  const auto result = evencube(
      {"whatif", file_.string(), "--balancer", "none,oem", "--workers", "1,2,4", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_LT(object.at("forecast_error").get<double>(), 0.05);
  const auto& rows = object.at("configurations");
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0].at("recorded"), true);
  const auto seconds = [&](const std::string& balancer, const std::string& topology) {
    for (const auto& row : rows) {
      if (row.at("balancer") == balancer && row.at("topology") == topology) {
        return row.at("seconds").get<double>();
      }
    }
    return -1.0;
  };
  EXPECT_NEAR(seconds("oem", "cube:1"), 8e-3, 1e-4);
  EXPECT_NEAR(seconds("oem", "cube:2"), 4e-3, 1e-4);
  EXPECT_NEAR(seconds("oem", "cube:4"), 2e-3, 1e-4);
  EXPECT_NEAR(seconds("none", "cube:4"), 8e-3, 1e-4);
}

TEST_F(whatif_command, explains_a_task) {
  const auto result = evencube({"whatif", file_.string(), "--explain", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("spawned by task 0 on worker 0"));
  EXPECT_THAT(result.out, HasSubstr("from worker 0 to worker 1"));
}

TEST_F(whatif_command, refuses_damaged_traces_and_unknown_names) {
  EXPECT_EQ(evencube({"whatif", file_.string(), "--balancer", "magic"}).status, 2);
  EXPECT_EQ(evencube({"whatif", file_.string(), "--explain", "9"}).status, 2);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 5);
  const auto cut = evencube({"whatif", file_.string()});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("byte"));
}

}  // namespace
}  // namespace evencube::cli::testing
