// evencube compare: strategies side by side, by where tasks begin and on how many workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

outcome compare(const std::string& options) { return evencube(words("compare " + options)); }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

TEST(compare_command, derives_its_figures_from_the_times_that_it_tells) {
  const auto result = compare(
      "spin --size 60 --task-us 20 --balancer none,oem,random_stealing --placement one,skewed "
      "--workers 3,2 --repeat 3 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("workload"), "spin");
  EXPECT_EQ(object.at("repetitions"), 3);
  EXPECT_THAT(object.at("strategies"), ElementsAre("none", "oem", "random_stealing"));
  EXPECT_EQ(object.at("verified"), true);
  const auto& cells = object.at("cells");
  ASSERT_EQ(cells.size(), 4U);
  std::vector<std::string> order;
  for (const auto& cell : cells) {
    order.push_back(cell.at("placement").get<std::string>() +
                    std::to_string(cell.at("workers").get<int>()));
    const auto& contenders = cell.at("contenders");
    ASSERT_EQ(contenders.size(), 3U);
    double least = 1e9;
    std::string best;
    for (const auto& one : contenders) {
      const std::vector<double> seconds = one.at("all_seconds");
      ASSERT_EQ(seconds.size(), 3U);  // the first round does not count
      EXPECT_GT(std::ranges::min(seconds), 0);
      EXPECT_DOUBLE_EQ(one.at("seconds"), median(seconds));
      if (median(seconds) < least) {
        least = median(seconds);
        best = one.at("name");
      }
    }
    EXPECT_EQ(cell.at("best"), best);
    for (const auto& one : contenders) {
      EXPECT_DOUBLE_EQ(one.at("over_best"), one.at("seconds").get<double>() / least);
    }
  }
  EXPECT_THAT(order, ElementsAre("one2", "one3", "skewed2", "skewed3"));
}

TEST(compare_command, shows_a_row_for_each_strategy_and_draws_it) {
  const auto plot = std::filesystem::path(::testing::TempDir()) / "compared.svg";
  const auto result = compare(
      "uts --tree tiny --balancer none,oem --placement spread --workers 1,2 --repeat 1 --plot " +
      plot.string());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("spread 1"));
  EXPECT_THAT(result.out, HasSubstr("spread 2"));
  EXPECT_THAT(result.out, HasSubstr("\nnone"));
  EXPECT_THAT(result.out, HasSubstr("\noem"));
  EXPECT_THAT(result.out, HasSubstr("best strategy"));
  EXPECT_THAT(result.out, HasSubstr("1.000"));
  EXPECT_THAT(result.out, HasSubstr("All results are right."));
  EXPECT_THAT(result.out, HasSubstr("wrote "));
  const std::string picture = content_of(plot);
  EXPECT_THAT(picture, StartsWith("<svg"));
  EXPECT_THAT(picture, HasSubstr(">oem</text>"));
  EXPECT_THAT(picture, HasSubstr("</svg>"));
  std::filesystem::remove(plot);
}

TEST(compare_command, sets_other_engines_beside_but_the_best_is_a_strategy) {
  const auto result = compare(
      "spin --size 20 --task-us 5 --balancer oem --placement one --workers 2 --repeat 1 --engine "
      "evencube,tbb --json");
  if (result.status != 0) {
    EXPECT_THAT(result.err, HasSubstr("built without"));
    GTEST_SKIP() << "no oneTBB";
  }
  const auto cell = result.as_json().at("cells").at(0);
  EXPECT_EQ(cell.at("best"), "oem");
  EXPECT_EQ(cell.at("contenders").at(1).at("name"), "tbb");
  EXPECT_EQ(cell.at("contenders").at(1).at("engine"), true);
  EXPECT_DOUBLE_EQ(cell.at("contenders").at(0).at("over_best"), 1);
}

TEST(compare_command, refuses_what_makes_no_sense_before_it_begins) {
  const auto refused = [](const std::string& options, const std::string& why) {
    const auto result = compare(options);
    EXPECT_EQ(result.status, 2) << options;
    EXPECT_THAT(result.err, HasSubstr(why)) << options;
  };
  refused("spin --balancer none,wrong", "wrong");
  refused("spin --balancer oem,none,oem", "--balancer oem: is there twice");
  refused("spin --placement one,one", "--placement one: is there twice");
  refused("spin --placement nowhere", "nowhere");
  refused("spin --workers 0", "--workers");
  refused("spin --workers 2,x", "--workers");
  refused("spin --plot here.png", "must end in .svg");
  refused("spin --plot /nowhere/at/all.svg", "/nowhere/at/all.svg");
  refused("spin --engine tbb", "evencube");
  refused("nothing", "nothing");
  refused("spin --repeat 0", "--repeat");
  refused("matmul --size 0", "--size");
}

}  // namespace
}  // namespace evencube::cli::testing
