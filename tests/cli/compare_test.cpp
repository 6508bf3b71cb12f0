// evencube compare: strategies side by side, by where tasks begin and on how many workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Nanoseconds of none, oem and random_stealing.
const char* const expected_figures =
    "equal one 4: 260192374 65309860 67506808\n"
    "equal one 16: 260192374 16592986 16846161\n"
    "equal random 4: 69106694 65160147 65193341\n"
    "equal random 16: 19673491 16566423 16534107\n"
    "hybrid one 4: 260192374 87058941 89429108\n"
    "hybrid one 16: 260192374 22233663 22464163\n"
    "hybrid random 4: 136702736 87042809 87139659\n"
    "hybrid random 16: 39187092 22232584 22131675\n"
    "numa8 one 4: 260192374 65236783 67977070\n"
    "numa8 one 16: 260192374 16563180 17052063\n"
    "numa8 random 4: 69107694 65172133 65270536\n"
    "numa8 random 16: 19675491 16609046 16558005\n"
    "slowed one 4: 260192374 74579278 76616732\n"
    "slowed one 16: 260192374 17160960 17383494\n"
    "slowed random 4: 119235224 74627829 74899184\n"
    "slowed random 16: 27015676 17073150 17129703\n";

outcome compare(const std::string& options) { return evencube(words("compare " + options)); }

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

TEST(compare_command, derives_its_figures_from_the_times_that_it_tells) {
  const auto result = compare(
      "spin --size 60 --task-us 20 --balancer none,oem,random_stealing --placement one,skewed "
      "--workers 2,1 --repeat 3 --json");
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
      // The first round does not count; on more workers than cores there is nothing but a forecast.
      ASSERT_EQ(seconds.size(), cell.at("forecast") ? 1U : 3U);
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
  EXPECT_THAT(order, ElementsAre("one1", "one2", "skewed1", "skewed2"));
}

TEST(compare_command, shows_a_row_for_each_strategy_and_draws_it) {
  const auto plot = std::filesystem::path(::testing::TempDir()) / "compared.svg";
  const auto result = compare(
      "uts --tree tiny --balancer none,oem --placement spread --workers 1,1000 --repeat 1 --plot " +
      quoted(plot));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("spread 1"));
  EXPECT_THAT(result.out, HasSubstr("spread 1000*"));
  EXPECT_THAT(result.out, HasSubstr("* a forecast: a recorded run"));
  EXPECT_THAT(result.out, HasSubstr("\nnone"));
  EXPECT_THAT(result.out, HasSubstr("\noem"));
  EXPECT_THAT(result.out, HasSubstr("best strategy"));
  EXPECT_THAT(result.out, HasSubstr("1.000"));
  EXPECT_THAT(result.out, HasSubstr("All results are correct."));
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
  refused("spin --balancer oem,none,oem", "--balancer oem: is given twice");
  refused("spin --placement one,one", "--placement one: is given twice");
  refused("spin --placement nowhere", "nowhere");
  refused("spin --workers 0", "--workers");
  refused("spin --workers 2,x", "--workers");
  refused("spin --plot here.gif", "must end in .svg");
  refused("spin --plot here.png", "must end in .svg");
  refused("spin --machine equal,toaster", "equal, hybrid, numa2, numa8, slowed");
  refused("spin --machine numa2,numa2", "--machine numa2: is given twice");
  refused("spin edges", "edges: compare takes one workload at a time");
  refused("spin not-there.trace", "either one workload or traces");
  refused("spin --order oldest", "must be largest or newest");
  refused("not-there.trace", "not-there.trace: cannot open");
  refused(std::string(300, 'n'), "nnn");
  refused("not-there.trace not-there.trace", "is given twice");
  refused("not-there.trace --size 5", "--size: has no effect on a trace");
  refused(quoted(EVENCUBE_RECORDINGS) + "/uts.trace.gz --engine evencube,tbb",
          "--engine evencube,tbb");
  refused("/dev/null", "not a regular file");
  refused("spin --plot /nowhere/at/all.svg", "/nowhere/at/all.svg");
  refused("spin --engine tbb", "evencube");
  refused("nothing", "nothing");
  refused("spin --repeat 0", "--repeat");
  refused("spin --draws 0", "--draws");
  refused("spin --draws 2 --explain", "--draws 2: --explain explains a single replay");
  refused("spin --draws 1 --workers 1", "--draws 1: applies only to forecasts");
  const std::string trace = quoted(EVENCUBE_RECORDINGS) + "/uts.trace.gz ";
  refused(trace + "--repeat 3", "--repeat 3: every replay of a trace is the same");
  refused(trace + "--verify", "--verify: a replay of a trace");
  refused(trace + "--no-verify", "--no-verify: a replay of a trace");
  refused("sort --input /dev/null", "--input /dev/null: it is read several times");
  refused("matmul --size 0", "--size");
}

const std::string recordings = quoted(EVENCUBE_RECORDINGS);

// Virtual time: every figure is the same everywhere.
TEST(compare_command, gives_the_same_figures_for_a_trace_everywhere) {
  const auto of = [&](const std::string& options) {
    const auto result =
        compare(recordings + "/mandelbrot.trace.gz --balancer none,oem,random_stealing " + options);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json();
  };
  const auto object =
      of("--placement one,random --workers 4,16 --machine equal,hybrid,numa8,slowed --json");
  EXPECT_EQ(object.at("repetitions"), 0);
  EXPECT_EQ(object.at("verified"), nullptr);
  std::string seen;
  for (const auto& cell : object.at("cells")) {
    EXPECT_EQ(cell.at("forecast"), true);
    EXPECT_EQ(cell.at("program"), "mandelbrot");
    seen += cell.at("machine").get<std::string>() + " " + cell.at("placement").get<std::string>() +
            " " + std::to_string(cell.at("workers").get<int>()) + ":";
    for (const auto& one : cell.at("contenders")) {
      seen += " " + std::to_string(std::llround(one.at("seconds").get<double>() * 1e9));
    }
    seen += "\n";
  }
  EXPECT_EQ(seen, expected_figures);
  EXPECT_EQ(object.dump(), of("--placement one,random --workers 4,16 --machine "
                              "equal,hybrid,numa8,slowed --json")
                               .dump());
}

// How a cell falls out once is luck in part: the same program may go another way the next time.
TEST(compare_command, forecasts_the_median_of_draws) {
  const std::string asked =
      recordings + "/matmul.trace.gz --balancer oem,random_stealing --placement one --workers 1,8";
  const auto object = compare(asked + " --draws 5 --json").as_json();
  EXPECT_EQ(object.at("draws"), 5);
  const auto once = compare(asked + " --json").as_json();
  EXPECT_EQ(once.at("draws"), 1);
  const auto seconds_of = [](const auto& of, std::size_t cell, std::size_t strategy) {
    const auto& one = of.at("cells").at(cell).at("contenders").at(strategy);
    std::vector<double> seconds = one.at("all_seconds");
    EXPECT_DOUBLE_EQ(one.at("seconds"), median(seconds));
    return seconds;
  };
  for (std::size_t cell = 0; cell < 2; ++cell) {
    for (std::size_t strategy = 0; strategy < 2; ++strategy) {
      std::vector<double> seconds = seconds_of(object, cell, strategy);
      EXPECT_NEAR(median(seconds) / seconds_of(once, cell, strategy).at(0), 1, 0.05);
      std::ranges::sort(seconds);
      ASSERT_EQ(seconds.size(), 5U);
      EXPECT_EQ(std::ranges::adjacent_find(seconds), seconds.end()) << "two draws are the same";
    }
  }
  // One worker takes the sum of all tasks, which of a draw is the same for all strategies.
  EXPECT_EQ(seconds_of(object, 0, 0), seconds_of(object, 0, 1));
  EXPECT_EQ(object.dump(), compare(asked + " --draws 5 --json").as_json().dump());
  EXPECT_THAT(compare(asked + " --draws 5").out, HasSubstr("the median of 5 draws"));
}

TEST(compare_command, counts_how_the_strategies_stand) {
  const auto result = compare(recordings + "/mandelbrot.trace.gz " + recordings +
                              "/uts.trace.gz --balancer none,oem,cwa --placement one,spread "
                              "--workers 1,2,8,1024 --explain --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  std::size_t counted = 0;
  std::map<std::string, std::size_t> close;
  std::map<std::string, double> behind;
  std::size_t exceptions = 0;
  for (const auto& cell : object.at("cells")) {
    const double workers = cell.at("workers");
    EXPECT_EQ(cell.at("counts"), workers > 1 && cell.at("tasks").get<double>() >= 20 * workers);
    if (!cell.at("counts")) continue;
    ++counted;
    for (const auto& one : cell.at("contenders")) {
      const std::string name = one.at("name");
      const double over = one.at("over_best");
      if (over <= 1.01) ++close[name];
      behind[name] = std::max(behind[name], over);
      if (name == "oem" && over > 1.01) ++exceptions;
    }
  }
  EXPECT_EQ(counted, 8U);
  for (const auto& one : object.at("standings")) {
    EXPECT_EQ(one.at("cells"), counted);
    EXPECT_EQ(one.at("close"), close[one.at("name")]);
    EXPECT_DOUBLE_EQ(one.at("most_behind"), behind[one.at("name")]);
  }
  EXPECT_EQ(object.at("explanations").size(), exceptions);
}

// Which tasks begin first decides when the last one ends.
TEST(compare_command, replays_either_order) {
  std::vector<double> seconds;
  for (const char* const order : {"largest", "newest"}) {
    const auto result = compare(recordings +
                                "/sort.trace.gz --balancer oem --placement one --workers 16 "
                                "--mode on_idle --json --order " +
                                order);
    ASSERT_EQ(result.status, 0) << result.err;
    const auto cell = result.as_json().at("cells").at(0);
    seconds.push_back(cell.at("contenders").at(0).at("seconds"));
  }
  EXPECT_LT(seconds[0], 0.97 * seconds[1]);
}

// The parts of a worker's time are all of it.
TEST(compare_command, explains_where_the_time_went) {
  const std::string asked = recordings +
                            "/uts.trace.gz --balancer oem,random_stealing,optimal --workers 16,32 "
                            "--machine numa8,slowed --explain";
  const auto object = compare(asked + " --json").as_json();
  ASSERT_FALSE(object.at("explanations").empty());
  for (const auto& one : object.at("explanations")) {
    EXPECT_FALSE(one.at("findings").empty());
    EXPECT_GT(one.at("default").at("seconds"), one.at("best").at("seconds"));
    for (const char* const which : {"default", "best"}) {
      const auto& run = one.at(which);
      ASSERT_EQ(run.at("workers").size(), one.at("workers"));
      for (const auto& worker : run.at("workers")) {
        double sum = 0;
        for (const auto& [name, seconds] : worker.items()) sum += seconds.get<double>();
        EXPECT_NEAR(sum, run.at("seconds").get<double>(), 1e-9);
      }
      ASSERT_FALSE(run.at("last_tasks").empty());
      const auto& last = run.at("last_tasks").front();
      EXPECT_LE(last.at("ended_seconds"), run.at("seconds"));
      EXPECT_LE(last.at("came_seconds"), last.at("began_seconds"));
    }
  }
  const auto text = compare(asked).out;
  EXPECT_THAT(text, HasSubstr("idle while tasks waited elsewhere, in a round"));
  EXPECT_THAT(text, HasSubstr("the last tasks under oem:"));
}

TEST(compare_command, draws_over_no_trace_that_it_reads) {
  const auto trace = std::filesystem::path(::testing::TempDir()) / "compared_trace.svg";
  const auto link = std::filesystem::path(::testing::TempDir()) / "compared_link.svg";
  std::filesystem::copy_file(EVENCUBE_RECORDINGS "/uts.trace.gz", trace,
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(link);
  std::filesystem::create_symlink(trace, link);
  const std::string before = content_of(trace);
  for (const auto& plot : {trace, link}) {
    const auto result =
        compare(recordings + "/edges.trace.gz " + quoted(trace) + " --plot " + quoted(plot));
    EXPECT_EQ(result.status, 2) << plot;
    EXPECT_THAT(result.err, HasSubstr("--plot " + plot.string() + ": this is the trace"));
    EXPECT_EQ(content_of(trace), before) << plot;
  }
  std::filesystem::remove(link);
  std::filesystem::remove(trace);
}

}  // namespace
}  // namespace evencube::cli::testing
