// evencube whatif: replays of a recorded run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/registry.hpp>
#include <evencube/trace/trace.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "../trace/sample_trace.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class whatif_command : public ::testing::Test {
 protected:
  // Eight tasks of 1 ms, spawned by a root on worker 0; half of them ran on worker 1.
  whatif_command()
      : file_(std::filesystem::path(::testing::TempDir()) /
              (std::string("evencube_whatif_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    traces::trace t;
    t.workload = "eight";
    t.balancer = "oem";
    t.topology = "cube:2";
    t.makespan = 4'000'000;
    t.tasks.push_back({traces::no_task, 0, 0, 0, 0, 4'000'000});
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t start = std::uint64_t{i / 2} * 1'000'000;
      t.tasks.push_back({0, 0, 0, i % 2, start, start + 1'000'000});
      if (i % 2 == 1) {
        t.migrations.push_back({i + 1, 0, 0, 1, traces::trace::migration::unplanned});
      }
    }
    t.waits.push_back({0, 0, 4'000'000});
    traces::put_trace(t, file_);
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

// The planner and the pulls of idle workers can be chosen, as with `run`.
TEST_F(whatif_command, replays_under_other_ways_of_planning) {
  const auto row = [&](const std::string& options) {
    const auto result =
        evencube(words("whatif " + quoted(file_) + " --workers 2 " + options + " --json"));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("configurations").at(1);
  };
  const auto seconds = [](const nlohmann::json& one) { return one.at("seconds").get<double>(); };
  const auto usual = row("");
  EXPECT_EQ(usual.at("mode"), "on_idle");
  EXPECT_EQ(usual.at("trigger"), 256);
  EXPECT_EQ(usual.at("pulls"), true);
  const auto nobody = row("--mode on_demand --pulls off");
  EXPECT_NEAR(seconds(nobody), 8e-3, 1e-4);
  EXPECT_EQ(nobody.at("tasks_moved"), 0);
  const auto pulled = row("--mode on_demand");
  EXPECT_EQ(pulled.at("mode"), "on_demand");
  EXPECT_LT(seconds(pulled), 6e-3);
  EXPECT_GT(pulled.at("tasks_moved"), 0);
  const auto planned = row("--pulls off");
  EXPECT_NEAR(seconds(planned), 4e-3, 1e-4);
  EXPECT_EQ(planned.at("pulls"), false);
  EXPECT_EQ(row("--order largest").at("order"), "largest");
  EXPECT_EQ(row("--order newest").at("order"), "newest");
  // The second node waits for no other node, and still gets its share in the end.
  EXPECT_LT(seconds(row("--mode thread --trigger 2 --pulls off")), 6e-3);
}

// A node with a long task and nothing else does not call a round: only a planning thread sees the
// queue of the other node.
TEST_F(whatif_command, calls_rounds_by_long_queues_where_a_thread_plans) {
  traces::trace t;
  t.workload = "long";
  t.balancer = "oem";
  t.topology = "cube:2";
  t.makespan = 20'000'000;
  t.tasks.push_back({traces::no_task, 1, 0, 1, 0, 20'000'000});
  for (std::uint64_t i = 0; i < 20; ++i) {
    t.tasks.push_back({traces::no_task, 0, 0, 0, i * 1'000'000, (i + 1) * 1'000'000});
  }
  traces::put_trace(t, file_);
  const auto moved = [&](const std::string& options) {
    const auto result =
        evencube(words("whatif " + quoted(file_) + " --balancer oem --json " + options));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("configurations").at(1).at("tasks_moved").get<std::uint64_t>();
  };
  EXPECT_EQ(moved("--pulls off"), 0U);
  EXPECT_EQ(moved("--mode thread --pulls off"), 0U);
  EXPECT_GT(moved("--mode thread --trigger 8 --pulls off"), 4U);
  // The clock calls rounds without looking at queues.
  EXPECT_GT(moved("--mode thread --period 500 --pulls off"), 4U);
}

TEST_F(whatif_command, refuses_ways_of_planning_that_no_replay_has) {
  const auto refusal = [&](const std::string& options) {
    const auto result = evencube(words("whatif " + quoted(file_) + " " + options));
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(refusal("--period 100"), HasSubstr("use --mode thread"));
  EXPECT_THAT(refusal("--mode thread --period 0"), HasSubstr("--period"));
  EXPECT_THAT(refusal("--mode magic"), HasSubstr("on_demand"));
  EXPECT_THAT(refusal("--pulls maybe"), HasSubstr("must be on or off"));
  EXPECT_THAT(refusal("--pulls off --balancer random_stealing"), HasSubstr("by pulls alone"));
}

TEST_F(whatif_command, explains_a_task) {
  const auto result = evencube({"whatif", file_.string(), "--explain", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("spawned by task 0 on worker 0"));
  EXPECT_THAT(result.out, HasSubstr("from worker 0 to worker 1"));
  EXPECT_THAT(result.out, HasSubstr("dimension 0"));
  EXPECT_THAT(result.out, HasSubstr("loads "));
}

// --explain replays nothing, and an option without effect would mislead.
TEST_F(whatif_command, explains_without_the_options_of_replays) {
  for (const std::string option : {"--mode magic", "--mode thread", "--trigger 5", "--pulls off",
                                   "--workers 99", "--balancer oem", "--topology cube:2",
                                   "--machine core:2", "--capacities 1,2", "--period 5"}) {
    const auto result = evencube(words("whatif " + quoted(file_) + " --explain 3 " + option));
    EXPECT_EQ(result.status, 2) << option;
    EXPECT_EQ(result.out, "") << option;
    EXPECT_THAT(result.err, HasSubstr(option.substr(0, option.find(' '))));
  }
}

TEST_F(whatif_command, refuses_damaged_traces_and_unknown_names) {
  EXPECT_EQ(evencube({"whatif", file_.string(), "--balancer", "magic"}).status, 2);
  EXPECT_EQ(evencube({"whatif", file_.string(), "--explain", "9"}).status, 2);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 5);
  const auto cut = evencube({"whatif", file_.string()});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("byte"));
}

// Faults that only the names or a replay reveal are bad input, and the message names the file.
TEST_F(whatif_command, refuses_traces_that_cannot_be_replayed) {
  const auto refusal = [&](const std::function<void(traces::trace&)>& change,
                           const std::vector<std::string>& more = {}) {
    traces::trace t = traces::sample_trace();
    change(t);
    traces::put_trace(t, file_);
    std::vector<std::string> arguments{"whatif", file_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("evencube: " + file_.string() + ": "));
    return result.err;
  };
  using traces::trace;
  EXPECT_THAT(refusal([](trace& t) { t.transmission = "pigeon"; }), HasSubstr("pigeon"));
  EXPECT_THAT(refusal([](trace& t) { t.balancer = "magic"; }), HasSubstr("magic"));
  EXPECT_THAT(refusal([](trace& t) { t.options = {{"speed", "9"}}; }), HasSubstr("speed"));
  EXPECT_THAT(refusal([](trace& t) { t.tasks[0].group = 0; }), HasSubstr("never ends"));
  const auto without_work = [](trace& t) {
    t = trace{};
    t.workload = "none";
    t.topology = "cube:2";
  };
  EXPECT_THAT(refusal(without_work), HasSubstr("holds no work"));
  EXPECT_THAT(refusal([](trace&) {}, {"--explain", "4"}), HasSubstr("there is no task 4"));
  // A faulty trace is not used at all, not even for a question that the rest could answer.
  EXPECT_THAT(refusal([](trace& t) { t.transmission = "pigeon"; }, {"--explain", "0"}),
              HasSubstr("pigeon"));
}

TEST_F(whatif_command, says_what_is_no_trace) {
  const auto refusal = [](const std::string& file) {
    const auto result = evencube({"whatif", file});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, StartsWith("evencube: " + file + ": "));
    return result.err;
  };
  EXPECT_THAT(refusal("/nowhere/x.trace"), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal("/tmp"), HasSubstr("it is a folder"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("it is not a regular file"));
  std::ofstream(file_) << "#!/bin/sh";
  EXPECT_THAT(refusal(file_.string()), HasSubstr("too short to be a trace"));
}

TEST_F(whatif_command, shows_names_of_a_trace_as_they_are_and_not_as_they_act) {
  traces::trace t = traces::sample_trace();
  t.workload = "\x1b]0;owned\x07\n\x9b";
  traces::put_trace(t, file_);
  const auto result = evencube({"whatif", file_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("\\x1b]0;owned\\x07\\x0a\\x9b: 4 tasks"));
  EXPECT_EQ(evencube({"whatif", file_.string(), "--json"}).status, 0);
}

// Reading a file of 20 MB takes eight times its size, and a replay some 300 bytes for each task.
TEST_F(whatif_command, takes_memory_in_proportion_to_the_trace) {
  traces::trace t = traces::sample_trace();
  t.tasks[3].cost = 1;  // otherwise the costs of all tasks would be written
  for (int i = 0; i < 500'000; ++i) t.tasks.push_back({traces::no_task, 0, 0, 0, 0, 0});
  traces::put_trace(t, file_);
  const auto bytes = std::filesystem::file_size(file_);
  EXPECT_LT(bytes, 13'000'000U);
  const auto result = shell("ulimit -v 350000; \"$0\" whatif " + quoted(file_));
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(recorded_run, is_replayed_and_its_rounds_planned_alike) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "evencube_recorded.trace";
  for (const std::string workload : {"edges --size 700 --tile 64", "matmul --size 256 --tile 32",
                                     "spin --size 200 --task-us 50 --placement one"}) {
    auto arguments = words("run " + workload + " --workers 2 --json --trace");
    arguments.push_back(file.string());
    const auto ran = evencube(arguments);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const auto result =
        evencube({"whatif", file.string(), "--balancer", "none,cwa,random_stealing", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto object = result.as_json();
    // The function given to run() is a task as well.
    EXPECT_EQ(object.at("tasks"), ran.as_json().at("tasks").get<std::uint64_t>() + 1);
    EXPECT_EQ(object.at("cut"), false);
    EXPECT_EQ(object.at("rounds"), object.at("rounds_planned_alike"));
    EXPECT_EQ(object.at("configurations").size(), 4U);
    EXPECT_LE(object.at("measured_seconds").get<double>(),
              ran.as_json().at("seconds").get<double>());
    EXPECT_EQ(evencube({"whatif", file.string(), "--explain", "1"}).status, 0);
    // A replay depends on the file only.
    EXPECT_EQ(evencube({"whatif", file.string(), "--workers", "3", "--json"}).out,
              evencube({"whatif", file.string(), "--workers", "3", "--json"}).out);
  }
  std::filesystem::remove(file);
}

// Every strategy that can serve a cube of workers, whether the library or a program registered it.
TEST(recorded_run, of_every_balancer_is_replayed_with_equal_plans) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "evencube_every.trace";
  std::vector<std::string> names{"random_stealing"};
  for (const balancer_descriptor& about : registered_balancers()) {
    if (!about.guarantees.supports || about.guarantees.supports(topology::cube(3))) {
      names.push_back(about.name);
    }
  }
  for (const std::string& name : names) {
    const bool plans = name != "none" && name != "random_stealing";
    nlohmann::json object;
    // On a busy machine the others may not wake up before worker 0 is done: then no worker plans.
    for (int tries = 0; tries < 20; ++tries) {
      const auto ran =
          evencube({"run", "spin", "--size", "800", "--task-us", "30", "--placement", "one",
                    "--workers", "3", "--balancer", name, "--json", "--trace", file.string()});
      ASSERT_EQ(ran.status, 0) << name << ran.err;
      const auto result = evencube({"whatif", file.string(), "--json"});
      ASSERT_EQ(result.status, 0) << name << result.err;
      object = result.as_json();
      if (!plans || object.at("rounds").get<std::uint64_t>() > 0) break;
    }
    EXPECT_EQ(object.at("rounds"), object.at("rounds_planned_alike")) << name;
    EXPECT_TRUE(object.at("rounds_planned_otherwise").empty()) << name;
    EXPECT_EQ(object.at("rounds").get<std::uint64_t>() > 0, plans) << name;
    // The recorded configuration itself is replayed, whatever the strategy.
    EXPECT_EQ(object.at("configurations")[0].at("balancer"), name);
    EXPECT_GT(object.at("configurations")[0].at("seconds").get<double>(), 0) << name;
  }
  std::filesystem::remove(file);
}

TEST(recorded_run, of_every_transmission_is_read_again) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "evencube_sent.trace";
  for (const std::string transmission :
       {"direct", "phased", "overlapped", "overlapped_rounds", "pipelined", "pipelined:3"}) {
    const auto ran = evencube({"run", "spin", "--size", "40", "--workers", "2", "--transmission",
                               transmission, "--trace", file.string()});
    ASSERT_EQ(ran.status, 0) << transmission << ran.err;
    for (const std::string command : {"whatif", "trace"}) {
      const auto result = evencube({command, file.string()});
      EXPECT_EQ(result.status, 0) << transmission << result.err;
    }
  }
  EXPECT_EQ(evencube(words("run spin --size 40 --workers 2 --transmission pipelined:3 --forecast"))
                .status,
            0);
  std::filesystem::remove(file);
}

// A run without planning and without pulls is not replayed as a run that balances.
TEST(recorded_run, is_replayed_as_it_was_planned) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "evencube_nobody.trace";
  const auto recorded = [&](const std::string& options) {
    auto arguments = words("run spin --size 40 --task-us 200 --placement one --workers 2 --json " +
                           options + " --trace");
    arguments.push_back(file.string());
    const auto ran = evencube(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
  };
  const auto rows = [&](const std::string& options) {
    const auto result = evencube(words("whatif " + quoted(file) + " " + options + " --json"));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("configurations");
  };
  recorded("--mode on_demand --trigger 17 --pulls off");
  auto both = rows("");
  for (const auto& row : both) {
    EXPECT_EQ(row.at("mode"), "on_demand");
    EXPECT_EQ(row.at("trigger"), 17);
    EXPECT_EQ(row.at("pulls"), false);
    EXPECT_EQ(row.at("tasks_moved"), 0);
  }
  EXPECT_EQ(both.at(0).at("seconds"), both.at(1).at("seconds"));
  EXPECT_THAT(evencube({"whatif", file.string()}).out,
              HasSubstr("as recorded, mode on_demand, trigger 17, pulls off"));
  // Where only pulls could move tasks, pulls are on, unless they are refused.
  const auto each = rows("--balancer none,random_stealing");
  EXPECT_EQ(each.at(1).at("pulls"), false);
  EXPECT_EQ(each.at(2).at("pulls"), true);
  EXPECT_GT(each.at(2).at("tasks_moved"), 0);
  const auto refused =
      evencube({"whatif", file.string(), "--balancer", "random_stealing", "--pulls", "off"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(
      refused.err,
      HasSubstr("--pulls off: random_stealing moves tasks by pulls alone; use --pulls on,"));
  // The given options change; all others are as recorded.
  both = rows("--pulls on");
  EXPECT_EQ(both.at(1).at("mode"), "on_demand");
  EXPECT_EQ(both.at(1).at("trigger"), 17);
  EXPECT_GT(both.at(1).at("tasks_moved"), 0);
  both = rows("--mode on_idle --trigger 5");
  EXPECT_EQ(both.at(1).at("mode"), "on_idle");
  EXPECT_EQ(both.at(1).at("trigger"), 5);
  EXPECT_EQ(both.at(1).at("pulls"), false);
  recorded("--mode thread --period 700");
  both = rows("");
  EXPECT_EQ(both.at(0).at("mode"), "thread");
  EXPECT_DOUBLE_EQ(both.at(0).at("period_seconds"), 700e-6);
  EXPECT_EQ(both.at(0).at("seconds"), both.at(1).at("seconds"));
  both = rows("--period 900");
  EXPECT_EQ(both.at(1).at("mode"), "thread");
  EXPECT_DOUBLE_EQ(both.at(1).at("period_seconds"), 900e-6);
  EXPECT_EQ(rows("--mode on_idle").at(1).at("period_seconds"), 0.0);
  // The report has the mode that the machine chose for the automatic mode, not the automatic mode.
  recorded("");
  EXPECT_THAT(rows("").at(0).at("mode"), ::testing::AnyOf("thread", "on_idle"));
  std::filesystem::remove(file);
}

TEST(recorded_run, keeps_the_costs_of_its_machine) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "evencube_costs.trace";
  ASSERT_EQ(
      evencube({"run", "spin", "--size", "50", "--workers", "2", "--trace", file.string()}).status,
      0);
  const auto costs = evencube({"whatif", file.string(), "--json"}).as_json().at("costs");
  EXPECT_EQ(costs.at("format"), "evencube-machine");
  EXPECT_GE(costs.at("workers").get<unsigned>(), 2U);
  EXPECT_GT(costs.at("costs").at("measure").get<double>(), 0);
  EXPECT_GT(costs.at("costs").at("receive").get<double>(), 0);
  EXPECT_GT(costs.at("links").at("latency").get<double>(), 0);
  std::filesystem::remove(file);
}

TEST(recorded_run, leaves_no_file_where_none_can_be_written) {
  const auto result = evencube(
      {"run", "spin", "--size", "10", "--trace", "/nowhere/at/all.trace", "--workers", "2"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("/nowhere/at/all.trace"));
  EXPECT_EQ(result.out, "");
  const auto folder = std::filesystem::path(::testing::TempDir()) / "evencube_trace_folder";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(evencube({"run", "magic", "--trace", (folder / "x.trace").string()}).status, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

// The draft used to be next to the trace for the whole run, and to stay after an interruption.
TEST(recorded_run, leaves_nothing_when_it_is_interrupted) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "evencube_interrupted_trace";
  std::filesystem::create_directory(folder);
  const auto result =
      shell("timeout --foreground -s INT 0.5 \"$0\" run spin --size 100000000 --trace " +
            quoted(folder / "x.trace"));
  EXPECT_EQ(result.status, 124) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(recorded_run, has_a_forecast_for_every_balancer) {
  const auto result =
      evencube(words("run spin --size 400 --task-us 20 --workers 2 --repeat 9 --forecast --json"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("workload"), "spin");
  // Only the best error counts: on a busy machine one of the two workers may not run in time.
  const auto errors = result.as_json().at("recorded_errors").get<std::vector<double>>();
  EXPECT_EQ(errors.size(), 9U);
  EXPECT_LT(*std::ranges::min_element(errors), 0.5);
  EXPECT_EQ(result.as_json().at("recorded_error").get<double>(), median(errors));
  const auto rows = result.as_json().at("forecasts");
  EXPECT_EQ(rows.size(), registered_balancers().size() + 1);
  for (const auto& row : rows) {
    if (row.contains("refused")) continue;
    EXPECT_GT(row.at("forecast_seconds").get<double>(), 0) << row;
    EXPECT_GT(row.at("measured_seconds").get<double>(), 0) << row;
  }
}

// Without planning and without pulls, every strategy leaves the tasks where they are.
TEST(recorded_run, has_forecasts_for_the_way_of_planning_that_was_asked_for) {
  const auto result = evencube(
      words("run spin --size 40 --task-us 50 --placement one --workers 2 --mode on_demand --pulls "
            "off --forecast --json"));
  ASSERT_EQ(result.status, 0) << result.err;
  double everywhere = 0;
  for (const auto& row : result.as_json().at("forecasts")) {
    if (row.at("balancer") == "random_stealing") {
      EXPECT_THAT(row.at("refused").get<std::string>(), HasSubstr("pulls"));
    } else if (!row.contains("refused")) {
      const double forecast = row.at("forecast_seconds");
      EXPECT_GE(forecast, 40 * 50e-6);
      if (everywhere == 0) everywhere = forecast;
      EXPECT_EQ(forecast, everywhere) << row;
    }
  }
}

TEST_F(whatif_command, replays_on_a_machine_described_by_hwloc) {
  const auto result = evencube({"whatif", file_.string(), "--machine", "core:4 pu:1", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("configurations")[1].at("topology"), "cube:4");
  EXPECT_EQ(evencube({"whatif", file_.string(), "--machine", "nonsense"}).status, 2);
  const auto large = evencube({"whatif", file_.string(), "--machine", "pack:1000 core:1000 pu:4"});
  EXPECT_EQ(large.status, 2);
  EXPECT_THAT(large.err, HasSubstr("more than 8192 processing units"));
  for (const char* option :
       {"--machine", "--balancer", "--topology", "--workers", "--capacities"}) {
    EXPECT_EQ(evencube({"whatif", file_.string(), option, ""}).status, 2) << option;
  }
}

}  // namespace
}  // namespace evencube::cli::testing
