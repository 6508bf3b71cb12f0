// evencube demo: several ways of balancing in one table, all verified, a verdict, and a picture.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/workloads/image_file.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::testing::put_file;
using workloads::testing::scratch_folder;
using workloads::testing::text_bytes;

/// The names of the ways in the table.
std::vector<std::string> rows_of(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> rows;
  bool within = false;
  for (std::string line; std::getline(lines, line);) {
    if (within && line.empty()) break;
    if (within && !line.starts_with('-')) rows.push_back(line.substr(0, line.find("  ")));
    within = within || line.starts_with("way ");
  }
  return rows;
}

TEST(demo, writes_its_picture_and_says_where) {
  const scratch_folder folder;
  const auto result = evencube({"demo", "--size", "600", "--repeat", "2", "--workers", "2",
                                "--folder", folder / "made/for/it"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto picture = folder / "made/for/it/city-edges.png";
  EXPECT_THAT(result.out, HasSubstr(picture.string()));
  EXPECT_EQ(workloads::read_picture(picture).width(), 600U);
  EXPECT_THAT(rows_of(result.out),
              ElementsAre("one thread, no runtime", "no balancing", "random stealing",
                          "planned, the default", "planned by a thread"));
  EXPECT_THAT(result.out, HasSubstr("\nPlanning was "));
  EXPECT_THAT(result.out, HasSubstr("; every run found the same edges as the serial program.\n"));
}

TEST(demo, json_has_all_runs) {
  const scratch_folder folder;
  const auto result = evencube({"demo", "--size", "600", "--repeat", "1", "--workers", "2",
                                "--folder", folder.path(), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto demo = result.as_json();
  std::vector<std::string> balancers;
  for (const auto& one : demo["runs"]) {
    balancers.push_back(one["balancer"]);
    EXPECT_EQ(one["placement"], "one");
    EXPECT_EQ(one["verified"], true);
  }
  EXPECT_THAT(balancers, ::testing::ElementsAre("none", "random_stealing", "dem", "oem", "dem",
                                                "oem", "diffusion", "oem"));
  for (std::size_t i = 4; i < 8; ++i) {
    const auto& one = demo["runs"][i];
    EXPECT_EQ(one["mode"], "thread");
    EXPECT_EQ(one["pulls"], false);
    EXPECT_EQ(one["transmission"], i == 7 ? "pipelined" : "direct");
    // Whatever the thread moved, nobody pulled.
    EXPECT_EQ(one["moved_by_pulls"], nlohmann::json::array({0}));
  }
  // Without balancing, what begins on worker 0 stays there.
  EXPECT_EQ(demo["runs"][0]["executed_per_worker"][1], 0);
  EXPECT_EQ(demo["runs"][0]["tasks_moved"], 0);
}

TEST(demo, has_other_engines_beside_it) {
  const scratch_folder folder;
  const std::vector<std::string> arguments{"demo",     "--size",     "200",
                                           "--repeat", "1",          "--workers",
                                           "2",        "--engine",   "evencube,tbb,openmp",
                                           "--folder", folder.path()};
  const auto text = evencube(arguments);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(rows_of(text.out),
              ElementsAre("one thread, no runtime", "no balancing", "random stealing",
                          "planned, the default", "tbb", "openmp"));
  auto with_json = arguments;
  with_json.emplace_back("--json");
  const auto result = evencube(with_json);
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  ASSERT_EQ(object.at("others").size(), 2U);
  const auto& tbb = object["others"][0];
  EXPECT_EQ(tbb.at("engine"), "tbb");
  EXPECT_EQ(tbb.at("verified"), true);
  // The runtime's own default is the one to compare with.
  EXPECT_EQ(object["runs"][3].at("balancer"), "oem");
  EXPECT_DOUBLE_EQ(tbb.at("over_evencube"),
                   tbb.at("seconds").get<double>() / object["runs"][3].at("seconds").get<double>());
  const auto refused = evencube({"demo", "--engine", "evencube,cilk", "--folder", folder.path()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("this program has: evencube, tbb, openmp"));
}

TEST(demo, bad_arguments_are_refused) {
  const scratch_folder folder;
  put_file(folder / "file", text_bytes("x"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"demo", "--size", "0", "--folder", folder.path()}, "within 1 .. 16384"},
      {{"demo", "--mode", "never", "--folder", folder.path()}, "auto, thread, on_idle"},
      {{"demo", "--pulls", "2", "--folder", folder.path()}, "on or off"},
      {{"demo", "--period", "0", "--folder", folder.path()}, "1 to 86400000000"},
      {{"demo", "--mode", "on_idle", "--period", "5", "--folder", folder.path()}, "--period 5"},
      {{"demo", "--trigger", "-2", "--folder", folder.path()}, "--trigger \"-2\""},
      {{"demo", "--workers", "0", "--folder", folder.path()}, "from 1 to 1024"},
      {{"demo", "--size", "9", "--folder", folder / "file"}, "file"},
      {{"demo", "--size", "9", "--folder", folder / "file/below"}, "cannot make the folder"},
  };
  for (const auto& [arguments, reason] : cases) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace evencube::cli::testing
