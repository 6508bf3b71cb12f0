// evencube speedup: times on more and more workers, and the conclusions from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using numbers = std::vector<double>;

numbers ratios(double factor, const numbers& above, const numbers& below) {
  numbers made;
  for (std::size_t i = 0; i < above.size(); ++i) made.push_back(factor * above[i] / below[i]);
  return made;
}

outcome speedup(const std::string& options) { return evencube(words("speedup " + options)); }

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(speedup_command, derives_its_figures_from_the_times_that_it_tells) {
  const auto result =
      speedup("spin --size 60 --task-us 20 --workers 3,1,2,2 --repeat 4 --placement one --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("workload"), "spin");
  EXPECT_EQ(object.at("placement"), "one");
  EXPECT_EQ(object.at("balancer"), "oem");
  EXPECT_EQ(object.at("mode"), "auto");
  EXPECT_EQ(object.at("pulls"), true);
  EXPECT_EQ(object.at("repetitions"), 4);
  EXPECT_EQ(object.at("verified"), true);
  const numbers serial = object.at("all_serial_seconds");
  ASSERT_EQ(serial.size(), 4U);
  EXPECT_DOUBLE_EQ(object.at("serial_seconds").at("median"), median(serial));
  const auto& points = object.at("points");
  ASSERT_EQ(points.size(), 3U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    const double workers = static_cast<double>(i + 1);
    EXPECT_EQ(point.at("workers"), i + 1);
    EXPECT_EQ(point.at("units").size(), i + 1);
    EXPECT_EQ(point.at("tasks"), 60);
    const numbers seconds = point.at("all_seconds");
    const numbers copies = point.at("all_copies_seconds");
    ASSERT_EQ(seconds.size(), 4U);
    ASSERT_EQ(copies.size(), 4U);
    EXPECT_GT(std::ranges::min(seconds), 0);
    const numbers faster = ratios(1, serial, seconds);
    EXPECT_DOUBLE_EQ(point.at("seconds").at("median"), median(seconds));
    EXPECT_DOUBLE_EQ(point.at("speedup").at("median"), median(faster));
    EXPECT_DOUBLE_EQ(point.at("speedup").at("min"), std::ranges::min(faster));
    EXPECT_DOUBLE_EQ(point.at("speedup").at("max"), std::ranges::max(faster));
    EXPECT_DOUBLE_EQ(point.at("efficiency"), median(faster) / workers);
    const double limit = median(ratios(workers, serial, copies));
    EXPECT_DOUBLE_EQ(point.at("limit").at("median"), limit);
    EXPECT_DOUBLE_EQ(point.at("of_limit"), median(faster) / limit);
    if (i == 0) {
      EXPECT_EQ(copies, serial);  // one copy is the serial program
      EXPECT_TRUE(point.at("serial_fraction").is_null());
      continue;
    }
    // Amdahl's law with the serial fraction must reproduce the speed-up.
    const double fraction = point.at("serial_fraction");
    EXPECT_NEAR(1 / (fraction + (1 - fraction) / workers), median(faster), 1e-9);
    const double of_limit = point.at("serial_fraction_of_limit");
    EXPECT_NEAR(1 / (of_limit + (1 - of_limit) / workers), limit, 1e-9);
  }
  const double last = points[2].at("serial_fraction");
  for (const auto& one : object.at("forecast")) {
    EXPECT_NEAR(one.at("speedup"), 1 / (last + (1 - last) / one.at("workers").get<double>()), 1e-9);
  }
  EXPECT_EQ(object.at("forecast").size(), last > 0 && last < 1 ? 2U : 0U);
  EXPECT_FALSE(object.at("meaning").get<std::string>().empty());
}

TEST(speedup_command, counts_workers_in_powers_of_two_up_to_what_may_be_used) {
  const auto counts = [](const std::string& workers) {
    const auto result = shell("EVENCUBE_WORKERS=" + workers +
                              " \"$0\" speedup spin --size 20 --task-us 1 --repeat 1 --json");
    EXPECT_EQ(result.status, 0) << result.err;
    const auto object = result.as_json();
    std::vector<unsigned> found;
    for (const auto& point : object.at("points")) found.push_back(point.at("workers"));
    return found;
  };
  EXPECT_EQ(counts("1"), (std::vector<unsigned>{1}));
  EXPECT_EQ(counts("4"), (std::vector<unsigned>{1, 2, 4}));
  EXPECT_EQ(counts("6"), (std::vector<unsigned>{1, 2, 4, 6}));
}

TEST(speedup_command, takes_the_options_of_run) {
  const auto result = speedup(
      "spin --size 80 --task-us 5 --workers 2 --repeat 1 --placement one --balancer cwa "
      "--transmission phased --mode thread --period 500 --trigger 4 --pulls off --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("balancer"), "cwa");
  EXPECT_EQ(object.at("transmission"), "phased");
  EXPECT_EQ(object.at("mode"), "thread");
  EXPECT_EQ(object.at("pulls"), false);
}

TEST(speedup_command, runs_and_verifies_every_workload) {
  for (const std::string workload :
       {"edges --size 200 --tile 32", "matmul --size 96 --tile 32", "spin --size 20"}) {
    const auto result = speedup(workload + " --workers 1,2 --repeat 2");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("serial fraction"), HasSubstr("machine's limit"),
                                  HasSubstr("verified: ")));
  }
  const auto alone = speedup("spin --size 20 --workers 1 --repeat 1 --no-verify");
  EXPECT_THAT(alone.out, HasSubstr("A single worker says nothing about scaling."));
  EXPECT_THAT(alone.out, HasSubstr("not verified"));
}

TEST(speedup_command, lets_the_problem_grow_with_the_workers) {
  const auto problems = [](const std::string& options) {
    const auto result = speedup(options + " --weak --workers 1,2,3 --repeat 2 --json");
    EXPECT_EQ(result.status, 0) << result.err;
    const auto object = result.as_json();
    EXPECT_EQ(object.at("scaling"), "weak");
    EXPECT_EQ(object.at("verified"), true);
    std::vector<std::string> all;
    for (const auto& point : object.at("points")) all.push_back(point.at("problem"));
    return all;
  };
  using texts = std::vector<std::string>;
  EXPECT_EQ(problems("spin --size 20 --task-us 1"), (texts{"20 tasks", "40 tasks", "60 tasks"}));
  EXPECT_EQ(problems("edges --size 64 --tile 32"),
            (texts{"64 x 64 pixels", "64 x 128 pixels", "64 x 192 pixels"}));
  // 2 * 50^3 = 63.0^3, 3 * 50^3 = 72.1^3
  EXPECT_EQ(problems("matmul --size 50 --tile 32"),
            (texts{"matrices of order 50", "matrices of order 63", "matrices of order 72"}));
}

TEST(speedup_command, derives_the_figures_of_weak_scaling_from_its_times) {
  const auto result = speedup("spin --size 30 --task-us 20 --weak --workers 2,3 --repeat 3 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_THAT(object.at("growth").get<std::string>(), HasSubstr("for every worker"));
  const numbers base = object.at("all_serial_seconds");
  for (const auto& point : object.at("points")) {
    const double workers = point.at("workers");
    EXPECT_EQ(point.at("tasks"), 30 * workers);
    const numbers seconds = point.at("all_seconds");
    const numbers twin = point.at("all_grown_serial_seconds");
    const numbers copies = point.at("all_copies_seconds");
    ASSERT_EQ(twin.size(), 3U);
    // 20 us for each of 30 tasks per worker, by the clock.
    EXPECT_GE(std::ranges::min(twin), 30 * workers * 20e-6);
    const double speedup = median(ratios(1, twin, seconds));
    EXPECT_DOUBLE_EQ(point.at("speedup").at("median"), speedup);
    EXPECT_DOUBLE_EQ(point.at("efficiency"), speedup / workers);
    EXPECT_DOUBLE_EQ(point.at("kept"), median(ratios(1, base, seconds)));
    EXPECT_DOUBLE_EQ(point.at("limit").at("median"), median(ratios(workers, base, copies)));
    const double alone = point.at("gustafson_fraction");
    EXPECT_NEAR(workers - alone * (workers - 1), speedup, 1e-9);
    EXPECT_NEAR(point.at("serial_fraction"), alone / speedup, 1e-9);
  }
  const auto strong = speedup("spin --size 20 --task-us 1 --workers 1 --repeat 1 --json");
  EXPECT_EQ(strong.as_json().at("scaling"), "strong");
  EXPECT_FALSE(strong.as_json().at("points")[0].contains("gustafson_fraction"));
}

TEST(speedup_command, tells_of_weak_scaling_in_every_form) {
  const auto text = speedup("spin --size 20 --task-us 5 --weak --workers 1,2 --repeat 1");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("scaled speed-up"), HasSubstr("one's time kept"),
                              HasSubstr("Gustafson"), HasSubstr("Karp-Flatt"),
                              HasSubstr("there are --size tasks for every worker")));
  const auto csv =
      speedup("spin --size 20 --weak --workers 1,2 --repeat 1 --csv --engine evencube,tbb");
  ASSERT_EQ(csv.status, 0) << csv.err;
  const auto all = lines(csv.out);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0], AllOf(StartsWith("workers,problem,tasks,serial_seconds,"),
                            HasSubstr("kept,limit,of_limit,gustafson_fraction,serial_fraction")));
  for (const std::string& line : all) EXPECT_EQ(std::ranges::count(line, ','), 17) << line;
  EXPECT_THAT(all[2], StartsWith("2,40 tasks,40,"));
}

// oneTBB and OpenMP are installed wherever the tests are built: both are among the packages.
TEST(speedup_command, runs_the_same_tasks_by_other_engines) {
  for (const std::string work :
       {"spin --size 40 --task-us 5", "edges --size 300 --tile 64", "matmul --size 96 --tile 32"}) {
    const auto result =
        speedup(work + " --workers 1,3 --repeat 2 --engine openmp,evencube,tbb,tbb --json");
    ASSERT_EQ(result.status, 0) << result.err;
    const auto object = result.as_json();
    EXPECT_EQ(object.at("verified"), true) << work;
    const numbers serial = object.at("all_serial_seconds");
    for (const auto& point : object.at("points")) {
      const auto& others = point.at("others");
      ASSERT_EQ(others.size(), 2U) << work;
      EXPECT_EQ(others[0].at("engine"), "openmp");
      EXPECT_EQ(others[1].at("engine"), "tbb");
      const numbers own = point.at("all_seconds");
      for (const auto& other : others) {
        const numbers seconds = other.at("all_seconds");
        ASSERT_EQ(seconds.size(), 2U);
        EXPECT_DOUBLE_EQ(other.at("speedup").at("median"),
                         median({serial[0] / seconds[0], serial[1] / seconds[1]}));
        EXPECT_DOUBLE_EQ(other.at("over_evencube").at("median"),
                         median({seconds[0] / own[0], seconds[1] / own[1]}));
      }
    }
  }
  const auto text = speedup("spin --size 10 --workers 2 --repeat 1 --engine evencube,tbb");
  EXPECT_THAT(text.out, HasSubstr("of evencube's time"));
  const auto csv = speedup("spin --size 10 --workers 2 --repeat 1 --engine evencube,tbb --csv");
  EXPECT_THAT(csv.out, HasSubstr("serial_fraction,tbb_seconds,tbb_speedup\n"));
  EXPECT_EQ(std::ranges::count(csv.out, ','), 2 * 12);
}

TEST(speedup_command, refuses_engines_that_it_cannot_run) {
  for (const std::string list : {"evencube,cilk", "tbb", "evencube,,tbb", "TBB,evencube"}) {
    const auto result = speedup("spin --size 10 --engine " + list);
    EXPECT_EQ(result.status, 2) << list;
    EXPECT_EQ(result.out, "") << list;
    EXPECT_THAT(result.err, HasSubstr("--engine \"" + list + "\""));
  }
}

TEST(speedup_command, prints_a_line_of_csv_for_each_number_of_workers) {
  const auto result = speedup("spin --size 20 --task-us 5 --workers 1,2,4 --repeat 2 --csv");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto all = lines(result.out);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_THAT(all[0], StartsWith("workers,seconds,min_seconds,max_seconds,speedup,"));
  for (const std::string& line : all) EXPECT_EQ(std::ranges::count(line, ','), 10);
  EXPECT_THAT(all[1], StartsWith("1,"));
  EXPECT_TRUE(all[1].ends_with(','));  // one worker has no serial fraction
  EXPECT_THAT(all[3], StartsWith("4,"));
}

class speedup_files : public ::testing::Test {
 protected:
  speedup_files() { std::filesystem::create_directory(folder_); }
  ~speedup_files() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  (std::string("evencube_speedup_") +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(speedup_files, draws_a_picture_without_help) {
  const auto file = folder_ / "curve.svg";
  const auto result = evencube({"speedup", "spin", "--size", "40", "--workers", "1,2,3", "--repeat",
                                "2", "--plot", file.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote " + file.string()));
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string picture = text.str();
  EXPECT_THAT(picture, StartsWith("<svg "));
  EXPECT_THAT(picture, AllOf(HasSubstr(">ideal<"), HasSubstr(">measured<"),
                             HasSubstr("the machine's limit"), HasSubstr(">efficiency<")));
  EXPECT_EQ(picture.find("nan"), std::string::npos);
  std::size_t circles = 0;
  for (auto at = picture.find("<circle"); at != std::string::npos;
       at = picture.find("<circle", at + 1)) {
    ++circles;
  }
  EXPECT_EQ(circles, 6U);  // one mark for each number of workers, in both halves
  const auto parsed = run("/usr/bin/env", {"python3", "-c",
                                           "import sys, xml.etree.ElementTree as x;"
                                           "print(x.parse(sys.argv[1]).getroot().tag)",
                                           file.string()});
  EXPECT_EQ(parsed.out, "{http://www.w3.org/2000/svg}svg\n") << parsed.err;
}

TEST_F(speedup_files, refuses_bad_input_before_any_work) {
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "speedup");
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(refusal({"magic"}), AllOf(HasSubstr("magic"), HasSubstr("spin")));
  EXPECT_THAT(refusal({"spin", "--workers", "0"}),
              AllOf(HasSubstr("from 1 to 1024"), Not(HasSubstr("auto"))));
  EXPECT_THAT(refusal({"spin", "--workers", "1,two"}), HasSubstr("\"two\""));
  EXPECT_THAT(refusal({"spin", "--workers", ""}), HasSubstr("--workers"));
  EXPECT_THAT(refusal({"spin", "--repeat", "0"}), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(refusal({"spin", "--balancer", "magic"}), HasSubstr("oem"));
  EXPECT_THAT(refusal({"spin", "--period", "5"}), HasSubstr("--mode thread"));
  EXPECT_THAT(refusal({"spin", "--placement", "far"}), HasSubstr("skewed"));
  EXPECT_THAT(refusal({"spin", "--input", "x.png"}), HasSubstr("input"));
  EXPECT_THAT(refusal({"sort", "--input", "/dev/null"}), HasSubstr("it is read several times"));
  EXPECT_THAT(refusal({"spin", "--plot", "curve.png"}), HasSubstr("must end in .svg"));
  EXPECT_THAT(refusal({"spin", "--plot", "/nowhere/curve.svg"}), HasSubstr("/nowhere/curve.svg"));
  EXPECT_THAT(refusal({"edges", "--weak", "--input", "x.png"}),
              AllOf(HasSubstr("--weak --input x.png"), HasSubstr("generated")));
  EXPECT_THAT(refusal({"edges", "--weak", "--size", "16384", "--workers", "1,4"}),
              AllOf(HasSubstr("--size 16384 for each of 4 workers"), HasSubstr("65536")));
  EXPECT_THAT(refusal({"edges", "--weak", "--size", "16384", "--workers", "2"}),
              HasSubstr("more than 268435456 pixels"));
  EXPECT_THAT(refusal({"matmul", "--weak", "--size", "16384", "--workers", "2"}),
              AllOf(HasSubstr("20643"), HasSubstr("fewer workers")));
  EXPECT_THAT(refusal({"spin", "--weak", "--size", "100000000", "--workers", "2"}),
              HasSubstr("200000000"));
  EXPECT_NE(evencube({"speedup", "spin", "--json", "--csv"}).status, 0);
  EXPECT_EQ(evencube({"speedup"}).status, 2);
}

}  // namespace
}  // namespace evencube::cli::testing
