// evencube simulate --calibrate and --machine: what balancing costs here, and simulating with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;

class calibrate : public ::testing::Test {
 protected:
  calibrate()
      : file_((std::filesystem::path(::testing::TempDir()) /
               (std::string("evencube_machine_") +
                ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json"))
                  .string()) {}
  ~calibrate() override { std::filesystem::remove(file_); }

  void write(const std::string& text) const { std::ofstream(file_) << text; }

  std::string file_;
};

// However busy the machine is: a median of the costs is a time, more than nothing and less than the
// seconds after which something must have hung.
TEST_F(calibrate, measures_every_cost_within_reason) {
  const auto result = evencube({"simulate", "--calibrate", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_GE(object.at("workers"), 2);
  for (const char* cost : {"measure", "send", "receive", "transfer_send", "transfer_receive"}) {
    const double value = object.at("costs").at(cost).get<double>();
    EXPECT_TRUE(std::isfinite(value)) << cost;
    EXPECT_GE(value, 0) << cost;
    EXPECT_LT(value, 5) << cost;
  }
  EXPECT_GT(object.at("costs").at("measure").get<double>(), 0);
  EXPECT_GT(object.at("costs").at("receive").get<double>(), 0);
  EXPECT_GE(object.at("links").at("latency").get<double>(), 0);
  EXPECT_LT(object.at("links").at("latency").get<double>(), 5);
}

TEST_F(calibrate, writes_what_the_simulation_reads) {
  const auto measured = evencube({"simulate", "--calibrate", "--output", file_});
  ASSERT_EQ(measured.status, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("costs.transfer_send"));
  const auto result = evencube({"simulate", "fork-join", "--machine", file_, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("metrics").at("completed").at("mean"), 32767);
}

TEST_F(calibrate, a_machine_of_given_costs_makes_them_part_of_the_run) {
  write(R"({"format": "evencube-machine", "version": 1, "unit": "seconds", "workers": 2,
            "costs": {"measure": 0.5, "send": 0, "receive": 0,
                      "transfer_send": 0, "transfer_receive": 0.25},
            "links": {"latency": 0, "per_quantum": 0}})");
  const auto result = evencube({"simulate", "batch", "--topology", "hypercube:1", "--balancer",
                                "dem", "--machine", file_, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  // 128 tasks on one of two nodes: measured, then 64 cross the link, while execution is held.
  EXPECT_DOUBLE_EQ(result.as_json().at("metrics").at("stabilised").at("mean").get<double>(),
                   0.5 + 64 * 0.25);
}

TEST_F(calibrate, a_machine_may_say_how_far_ranks_are_from_each_other) {
  write(R"({"format": "evencube-machine", "version": 1, "unit": "seconds", "workers": 2,
            "costs": {"measure": 0, "send": 0, "receive": 0,
                      "transfer_send": 0, "transfer_receive": 0},
            "links": {"latency": 0, "per_quantum": 0},
            "ranks": {"latency": 0.5, "per_byte": 0.001}})");
  const auto result =
      evencube({"simulate", "batch", "--topology", "hypercube:1", "--balancer", "dem", "--ranks",
                "2", "--task-bytes", "10", "--machine", file_, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_DOUBLE_EQ(result.as_json().at("metrics").at("stabilised").at("mean").get<double>(),
                   0.5 + 64 * 10 * 0.001);
}

TEST_F(calibrate, the_costs_of_loh_have_a_name) {
  const auto named =
      evencube({"simulate", "loh-stable", "--machine", "loh", "--json"}).as_json().at("hash");
  EXPECT_EQ(evencube({"simulate", "loh-stable", "--json"}).as_json().at("hash"), named);
}

TEST_F(calibrate, refuses_files_that_are_no_machine_and_says_where) {
  const std::string rest =
      R"("workers": 2, "costs": {"measure": 0, "send": -1, "receive": 0, "transfer_send": 0,
         "transfer_receive": 0}, "links": {"latency": 0, "per_quantum": 0}})";
  const std::vector<std::pair<std::string, const char*>> cases{
      {"", "not valid JSON at byte 1"},
      {R"({"format": "evencube-machine", "version": 1,)", "not valid JSON at byte"},
      {R"({"format": "another", "version": 1})", "format is \"another\""},
      {"[1e999]", "too large"},
      {"[]", "format is missing"},
      {R"({"format": "evencube-machine", "version": 2})", "version 2"},
      {R"({"format": "evencube-machine", "version": 1, "workers": 2})", "costs.measure is missing"},
      {R"({"format": "evencube-machine", "version": 1, "workers": -2})", "workers is -2"},
      {R"({"format": "evencube-machine", "version": 1, "workers": 2, "costs": {"measure": "x"}})",
       "costs.measure is \"x\""},
      {R"({"format": "evencube-machine", "version": 1, )" + rest, "costs.send is -1"}};
  for (const auto& [text, named] : cases) {
    write(text);
    const auto result = evencube({"simulate", "batch", "--machine", file_});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr(named));
    EXPECT_THAT(result.err, HasSubstr(file_));
  }
  const auto absent = evencube({"simulate", "batch", "--machine", "/no/such/file"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.err, HasSubstr("/no/such/file"));
}

TEST_F(calibrate, measures_or_simulates_but_not_both) {
  EXPECT_EQ(evencube({"simulate", "batch", "--calibrate"}).status, 2);
  EXPECT_EQ(evencube({"simulate", "batch", "--output", file_}).status, 2);
}

}  // namespace
}  // namespace evencube::cli::testing
