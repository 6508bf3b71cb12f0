// evencube run: the contract of its JSON, its tables, and the arguments that it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

json run_json(const std::string& arguments) {
  const auto result = evencube(words("run " + arguments + " --json"));
  EXPECT_EQ(result.status, 0) << arguments << ": " << result.err;
  EXPECT_EQ(result.err, "") << arguments;
  return result.as_json();
}

std::uint64_t sum(const json& numbers) {
  std::uint64_t total = 0;
  for (const auto& number : numbers) {
    total += number.get<std::uint64_t>();
  }
  return total;
}

const std::vector<std::string> small_runs = {
    "edges --size 700 --tile 64",
    "heat --size 100 --tile 16 --steps 30",
    "mandelbrot --size 80 --tile 16 --zoom 1e6 --iterations 300",
    "matmul --size 200 --tile 32",
    "nbody --size 300 --tile 16 --steps 4",
    "pagerank --size 800 --tile 64 --iterations 12",
    "pathtrace --size 40 --tile 8 --samples 2",
    "spin --size 200 --task-us 20",
    "sort --size 5000 --tile 300",
    "uts --tree tiny --tile 20"};

/// Whether the tasks call algorithms of the library, which make tasks of their own.
bool calls_algorithms(const std::string& arguments) {
  return arguments.starts_with("sort") || arguments.starts_with("nbody");
}

class small_workloads : public ::testing::TestWithParam<std::string> {};

TEST_P(small_workloads, json_is_exactly_the_contract) {
  const auto result = run_json(GetParam() + " --workers 2 --placement one");
  EXPECT_EQ(keys(result), (std::set<std::string>{"workload",
                                                 "workers",
                                                 "balancer",
                                                 "transmission",
                                                 "placement",
                                                 "tasks",
                                                 "seconds",
                                                 "serial_seconds",
                                                 "speedup",
                                                 "efficiency",
                                                 "verified",
                                                 "executed_per_worker",
                                                 "rounds",
                                                 "tasks_moved",
                                                 "mode",
                                                 "pulls",
                                                 "moved_by_dimension",
                                                 "moved_by_rounds",
                                                 "moved_by_pulls",
                                                 "moved_by_rescues",
                                                 "requests",
                                                 "imbalance_before",
                                                 "imbalance_after",
                                                 "balancer_seconds",
                                                 "balancer_thread_seconds"}));
  EXPECT_EQ(result["workload"], words(GetParam())[0]);
  EXPECT_EQ(result["workers"], 2);
  EXPECT_EQ(result["balancer"], "oem");
  EXPECT_EQ(result["transmission"], "direct");
  EXPECT_EQ(result["placement"], "one");
  EXPECT_EQ(result["verified"], true);
  EXPECT_GT(result["seconds"].get<double>(), 0);
  EXPECT_GT(result["serial_seconds"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(result["speedup"].get<double>(),
                   result["serial_seconds"].get<double>() / result["seconds"].get<double>());
  EXPECT_DOUBLE_EQ(result["efficiency"].get<double>(), result["speedup"].get<double>() / 2);
  ASSERT_EQ(result["executed_per_worker"].size(), 2U);
  EXPECT_GE(sum(result["executed_per_worker"]), result["tasks"].get<std::uint64_t>());
  if (!calls_algorithms(GetParam())) {
    EXPECT_EQ(sum(result["executed_per_worker"]), result["tasks"].get<std::uint64_t>());
  }
  EXPECT_EQ(result["moved_by_dimension"].size(), 1U);
  EXPECT_TRUE(result["rounds"].is_number_unsigned());
  EXPECT_TRUE(result["tasks_moved"].is_number_unsigned());
  EXPECT_TRUE(result["balancer_seconds"].is_number());
}

TEST_P(small_workloads, pulls_off_leaves_all_moves_to_the_rounds_of_the_thread) {
  const auto result = run_json(GetParam() +
                               " --workers 2 --placement one --mode thread --pulls off --trigger 4"
                               " --period 1000 --balancer dem");
  EXPECT_EQ(result["mode"], "thread");
  EXPECT_EQ(result["pulls"], false);
  EXPECT_EQ(result["verified"], true);
  EXPECT_EQ(sum(result["moved_by_pulls"]), 0U);
  EXPECT_EQ(sum(result["moved_by_dimension"]),
            sum(result["moved_by_rounds"]) + sum(result["moved_by_rescues"]));
}

TEST_P(small_workloads, verify_under_every_placement_balancer_and_number_of_workers) {
  for (const std::string placement : {"spread", "one", "skewed", "random"}) {
    for (const std::string balancer : {"none", "random_stealing", "dem", "oem"}) {
      for (const std::string workers : {"1", "3", "8"}) {
        auto line = GetParam();
        line.append(" --placement ").append(placement);
        line.append(" --balancer ").append(balancer).append(" --workers ").append(workers);
        const auto result = run_json(line);
        EXPECT_EQ(result["verified"], true) << line;
        EXPECT_EQ(result["executed_per_worker"].size(), std::stoul(workers)) << line;
        const auto executed = sum(result["executed_per_worker"]);
        const auto tasks = result["tasks"].get<std::uint64_t>();
        EXPECT_GE(executed, tasks) << line;
        if (!calls_algorithms(line)) {
          EXPECT_EQ(executed, tasks) << line;
        }
      }
    }
  }
}

TEST_P(small_workloads, phased_transmission_and_repeated_runs) {
  const auto result =
      run_json(GetParam() + " --transmission phased --repeat 3 --workers 4 --placement one");
  EXPECT_EQ(result["transmission"], "phased");
  EXPECT_EQ(result["verified"], true);
}

TEST_P(small_workloads, without_verification_it_says_so) {
  EXPECT_TRUE(run_json(GetParam() + " --no-verify")["verified"].is_null());
  EXPECT_THAT(evencube(words("run " + GetParam() + " --no-verify")).out, HasSubstr("not verified"));
}

TEST_P(small_workloads, text_has_the_tables) {
  const auto result = evencube(words("run " + GetParam() + " --workers 2"));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const auto* part : {"2 workers", "worker  tasks", "dimension  tasks moved", "serial twin",
                           "speed-up", "efficiency", "rounds", "verified: "}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

INSTANTIATE_TEST_SUITE_P(all, small_workloads, ::testing::ValuesIn(small_runs),
                         [](const auto& instance) { return words(instance.param)[0]; });

// oneTBB and OpenMP are installed wherever the tests are built: both are among the packages.
TEST(run, runs_the_same_tasks_by_other_engines) {
  for (const std::string work :
       {"spin --size 40 --task-us 5", "edges --size 200 --tile 64", "matmul --size 96 --tile 32"}) {
    const auto result = evencube(
        words("run " + work + " --workers 3 --repeat 2 --engine openmp,evencube,tbb --json"));
    ASSERT_EQ(result.status, 0) << result.err;
    const auto object = result.as_json();
    const auto& others = object.at("others");
    ASSERT_EQ(others.size(), 2U);
    EXPECT_EQ(others[0].at("engine"), "openmp");
    EXPECT_EQ(others[1].at("engine"), "tbb");
    for (const auto& other : others) {
      const double seconds = other.at("seconds");
      EXPECT_DOUBLE_EQ(other.at("speedup"), object.at("serial_seconds").get<double>() / seconds);
      EXPECT_DOUBLE_EQ(other.at("over_evencube"), seconds / object.at("seconds").get<double>());
      EXPECT_EQ(other.at("verified"), true);
    }
  }
  const auto text = evencube(words("run spin --size 40 --workers 2 --engine evencube,tbb"));
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("\ntbb "), HasSubstr("of evencube's time")));
  EXPECT_EQ(text.out.find("openmp"), std::string::npos);
}

TEST(run, refuses_engines_that_it_cannot_run_or_combine) {
  const auto refusal = [](const std::string& options) {
    const auto result = evencube(words("run spin --size 10 " + options));
    EXPECT_EQ(result.status, 2) << options;
    EXPECT_EQ(result.out, "") << options;
    return result.err;
  };
  EXPECT_THAT(refusal("--engine evencube,cilk"),
              AllOf(HasSubstr("--engine \"evencube,cilk\""),
                    HasSubstr("this program has: evencube, tbb, openmp")));
  EXPECT_THAT(refusal("--engine tbb"), HasSubstr("evencube must be among them"));
  EXPECT_THAT(refusal("--engine evencube,tbb --trace build/x.trace"),
              HasSubstr("--engine evencube,tbb with --trace: only runs without other engines"));
  EXPECT_THAT(refusal("--engine evencube,tbb --forecast"), HasSubstr("with --forecast: "));
}

TEST(run_kernels, portable_and_automatic) {
  EXPECT_EQ(run_json("matmul --size 100 --kernel portable")["verified"], true);
  EXPECT_EQ(run_json("matmul --size 600 --kernel auto")["verified"], true);
}

TEST(run_measured, tells_what_tasks_cost) {
  const std::string tasks = "spin --size 1000 --task-us 200 --workers 2 ";
  EXPECT_FALSE(run_json(tasks).contains("task_costs"));
  EXPECT_FALSE(run_json(tasks + "--measured speeds").contains("task_costs"));
  const json result = run_json(tasks + "--measured both");
  const json& costs = result.at("task_costs");
  ASSERT_FALSE(costs.empty());
  EXPECT_GE(costs.front().at("samples"), 1);
  EXPECT_GE(costs.front().at("mean_seconds").get<double>(), 200e-6);
  EXPECT_GE(costs.front().at("deviation_seconds").get<double>(), 0);
  const auto text = evencube(words("run " + tasks + "--measured costs"));
  EXPECT_NE(text.out.find("deviation"), std::string::npos);
}

TEST(run_tasks, are_the_tiles) {
  EXPECT_EQ(run_json("matmul --size 100 --tile 30")["tasks"], 16);
  EXPECT_EQ(run_json("spin --size 77 --task-us 1")["tasks"], 77);
}

struct bad {
  std::string arguments;
  std::string reason;

  friend void PrintTo(const bad& one, std::ostream* out) { *out << one.arguments; }
};

class bad_runs : public ::testing::TestWithParam<bad> {};

TEST_P(bad_runs, are_refused_with_the_reason) {
  const auto result = evencube(words("run " + GetParam().arguments + " --json"));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    all, bad_runs,
    ::testing::Values(
        bad{"", "WORKLOAD"}, bad{"knitting", "unknown workload \"knitting\""},
        bad{"knitting", "known: edges, heat, mandelbrot, matmul, "},
        bad{"spin --workers 0", "from 1 to 1024"}, bad{"spin --workers -3", "from 1 to 1024"},
        bad{"spin --workers 100000", "from 1 to 1024"}, bad{"spin --workers 1.5", "from 1 to 1024"},
        bad{"spin --workers many", "or auto"},
        bad{"spin --workers 99999999999999999999", "from 1 to 1024"},
        bad{"spin --balancer magic", "magic"}, bad{"spin --balancer magic", "oem"},
        bad{"spin --balancer magic", "random_stealing"},
        bad{"spin --balancer-option colour", "key=value"},
        bad{"spin --balancer-option colour=red", "colour"},
        bad{"spin --transmission pigeon", "pigeon"},
        bad{"spin --mode sometimes", "auto, thread, on_idle or on_demand"},
        bad{"spin --mode sometimes", "\"sometimes\""},
        bad{"spin --mode thread --period 0", "1 to 86400000000"},
        bad{"spin --mode thread --period -5", "1 to 86400000000"},
        bad{"spin --mode thread --period often", "--period \"often\""},
        bad{"spin --period 100", "--mode thread"}, bad{"spin --mode on_idle --period 7", "7"},
        bad{"spin --trigger -1", "\"-1\""}, bad{"spin --trigger few", "\"few\""},
        bad{"spin --pulls maybe", "on or off"}, bad{"spin --pulls maybe", "\"maybe\""},
        bad{"spin --pulls off --balancer random_stealing", "pulls alone"},
        bad{"spin --pinning Core", "\"Core\": must be unit, core, cache, numa or none"},
        bad{"spin --measured speed", "\"speed\": must be none, costs, speeds or both"},
        bad{"spin --placement nowhere", "spread, one, skewed, random"},
        bad{"spin --size 0", "within 1 .. 100000000"},
        bad{"spin --size -1", "within 1 .. 100000000"},
        bad{"spin --size 99999999999999999999", "whole number"},
        bad{"spin --task-us -1", "within 0 .. 1000000"},
        bad{"spin --task-us nan", "must be a number"}, bad{"spin --tile 8", "no option --tile"},
        bad{"spin --input x.png", "no option --input"}, bad{"spin --repeat 0", "1 to 1000"},
        bad{"spin --forecast --trace x.trace", "cannot be combined with --output, --trace"},
        bad{"edges --forecast --output x.png", "cannot be combined with --output, --trace"},
        bad{"spin --trace /nowhere/x.trace", "/nowhere/x.trace"},
        bad{"edges --size 10x", "--size \"10x\""}, bad{"edges --seed -1", "--seed -1"},
        bad{"spin --colour red", "--colour"}, bad{"matmul --size 0", "within 1 .. 16384"},
        bad{"matmul --kernel magic", "portable"}, bad{"edges --size 0", "within 1 .. 16384"},
        bad{"edges --tile 0", "within 8 .. 4096"}, bad{"edges --threshold 0", "within 1 .. 255"},
        bad{"edges --threshold 256", "within 1 .. 255"},
        bad{"edges --lines 1001", "within 0 .. 1000"}, bad{"heat --steps 0", "within 1 .. 1000000"},
        bad{"heat --size 8193", "within 1 .. 8192"}, bad{"heat --zoom 2", "no option --zoom"},
        bad{"mandelbrot --zoom 2e280", "--zoom 2e+280 is not within 0.1 .. 1e+280"},
        bad{"mandelbrot --zoom 0", "within 0.1 .. 1e+280"},
        bad{"mandelbrot --zoom deep", "--zoom \"deep\""},
        bad{"mandelbrot --real 1e-3", "must be a decimal number without exponent"},
        bad{"mandelbrot --imaginary 4.5", "--imaginary 4.5 is not within -4 .. 4"},
        bad{"mandelbrot --iterations 10000001", "within 0 .. 10000000"},
        bad{"nbody --size 99", "within 100 .. 100000000"},
        bad{"nbody --opening 1.1", "within 0 .. 1"}, bad{"nbody --steps 0", "within 1 .. 1000000"},
        bad{"pagerank --damping 1", "--damping 1 is not within 0 .. 0.999"},
        bad{"pagerank --degree 1001", "within 0 .. 1000"},
        bad{"pagerank --input x.mtx --degree 3", "cannot be combined with --input"},
        bad{"pagerank --input /nowhere.mtx", "/nowhere.mtx: cannot read: No such file"},
        bad{"pagerank --input /", "it is a folder"},
        bad{"pathtrace --samples 0", "within 1 .. 1000000"},
        bad{"sort --input /nowhere.txt", "/nowhere.txt: cannot read: No such file"},
        bad{"sort --input x --size 3", "cannot be combined with --input"},
        bad{"sort --size 0", "within 1 .. 1000000000"},
        bad{"uts --tree oak", "unknown tree \"oak\"; known: T1, T3, T1L, T3L, tiny"},
        bad{"uts --tile 0", "within 1 .. 1000000"}));

}  // namespace
}  // namespace evencube::cli::testing
