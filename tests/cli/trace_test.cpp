// evencube trace: figures of a recorded run, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "../trace/sample_trace.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using traces::trace;

class trace_command : public ::testing::Test {
 protected:
  trace_command() {
    std::filesystem::create_directory(folder_);
    traces::put_trace(traces::sample_trace(), file_);
  }
  ~trace_command() override { std::filesystem::remove_all(folder_); }

  static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  (std::string("evencube_trace_") +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::path file_ = folder_ / "a.trace";
  std::filesystem::path out_ = folder_ / "out.json";
};

// The sample by hand, in us. Worker 0 computes 0-10 (task 0), 10-25 (task 2, during the wait) and
// 31-36; worker 1 computes 11-31 and 40-60. Tasks wait in a queue during 5-11 (task 1) alone.
TEST_F(trace_command, counts_who_computed_and_why_others_did_not) {
  const auto result = evencube({"trace", file_.string(), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  const auto us = [&](const char* key) { return object.at(key).get<double>() * 1e6; };
  EXPECT_EQ(object.at("workers"), 2);
  EXPECT_EQ(object.at("tasks"), 4);
  EXPECT_THAT(us("seconds"), DoubleNear(60, 1e-9));
  EXPECT_THAT(us("busy_seconds"), DoubleNear(30 + 40, 1e-9));
  EXPECT_THAT(us("idle_seconds_while_tasks_waited"), DoubleNear(6, 1e-9));
  EXPECT_THAT(us("idle_seconds_without_tasks"), DoubleNear(120 - 70 - 6, 1e-9));
  EXPECT_THAT(us("wait_seconds"), DoubleNear(21, 1e-9));
  EXPECT_EQ(object.at("waits"), 1);
  const auto& workers = object.at("per_worker");
  EXPECT_THAT(workers[0].at("busy_seconds").get<double>() * 1e6, DoubleNear(30, 1e-9));
  EXPECT_THAT(workers[1].at("busy_seconds").get<double>() * 1e6, DoubleNear(40, 1e-9));
  EXPECT_EQ(workers[0].at("tasks"), 2);
  EXPECT_EQ(workers[1].at("received"), 1);
  EXPECT_EQ(workers[0].at("sent"), 1);
  EXPECT_EQ(object.at("moved_by_rounds"), 1);
  EXPECT_EQ(object.at("moved_by_pulls"), 0);
  EXPECT_EQ(object.at("sent").dump(), R"([{"from":0,"tasks":1,"to":1}])");
  EXPECT_EQ(object.at("rounds"), 1);
  EXPECT_THAT(object.at("imbalance_before").get<double>(), DoubleNear(2, 1e-9));
  EXPECT_THAT(object.at("imbalance_after").get<double>(), DoubleNear(1, 1e-9));
  EXPECT_EQ(object.at("rounds_planned_alike"), 1);
}

// Tasks compute 15 (task 0 without its wait), 20, 15 and 20 us.
TEST_F(trace_command, counts_how_long_tasks_computed_without_their_waits) {
  const auto object = evencube({"trace", file_.string(), "--json"}).as_json().at("durations");
  EXPECT_THAT(object.at("min").get<double>() * 1e6, DoubleNear(15, 1e-9));
  EXPECT_THAT(object.at("median").get<double>() * 1e6, DoubleNear(15, 1e-9));
  EXPECT_THAT(object.at("max").get<double>() * 1e6, DoubleNear(20, 1e-9));
  EXPECT_THAT(object.at("mean").get<double>() * 1e6, DoubleNear(17.5, 1e-9));
  // 8.192 to 16.384 us, 16.384 to 32.768 us.
  const auto& bins = object.at("histogram");
  ASSERT_EQ(bins.size(), 15U);
  EXPECT_EQ(bins[13].at("tasks"), 2);
  EXPECT_EQ(bins[14].at("tasks"), 2);
}

TEST_F(trace_command, says_what_bounds_the_run) {
  const auto bound = [&](const std::function<void(trace&)>& change) {
    trace t;
    t.workload = "made";
    t.topology = "cube:2";
    t.makespan = 100'000;
    change(t);
    traces::put_trace(t, file_);
    const auto result = evencube({"trace", file_.string(), "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("bound").get<std::string>();
  };
  const auto task = [](trace& t, std::uint64_t spawned, std::uint32_t worker, std::uint64_t started,
                       std::uint64_t ended) {
    t.tasks.push_back({traces::no_task, worker, spawned, worker, started, ended});
  };
  EXPECT_EQ(bound([&](trace& t) {
              task(t, 0, 0, 0, 100'000);
              task(t, 0, 1, 0, 95'000);
            }),
            "work");
  EXPECT_EQ(bound([&](trace& t) { task(t, 0, 0, 0, 100'000); }), "critical_path");
  EXPECT_EQ(bound([&](trace& t) {  // two on one worker, the other has nothing
              task(t, 0, 0, 0, 50'000);
              task(t, 0, 0, 50'000, 100'000);
            }),
            "balance");
  EXPECT_EQ(bound([&](trace& t) {  // one child after the other, though they need not wait
              task(t, 0, 0, 0, 1'000);
              task(t, 40'000, 0, 40'000, 80'000);
              task(t, 70'000, 1, 70'000, 100'000);
              t.makespan = 200'000;
            }),
            "parallelism");
}

TEST_F(trace_command, prints_a_table_for_people) {
  const auto result = evencube({"trace", file_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("sample: 4 tasks on hypercube:1 in 60.0 us"));
  EXPECT_THAT(result.out, HasSubstr("largest load / mean load 2.00 before and 1.00 after"));
  EXPECT_THAT(result.out, HasSubstr("bound by the "));
}

// A sum over workers has room for a row of each in JSON, not on a terminal.
TEST_F(trace_command, keeps_the_table_short_for_many_workers) {
  trace t = traces::sample_trace();
  t.topology = "cube:65536";
  t.rounds.clear();
  t.migrations.clear();
  t.balancer = "none";
  traces::put_trace(t, file_);
  const auto result = evencube({"trace", file_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("and 65472 more workers"));
  const auto all = evencube({"trace", file_.string(), "--json", "--perfetto", out_.string()});
  EXPECT_EQ(all.as_json().at("per_worker").size(), 65536U);
}

TEST_F(trace_command, refuses_what_whatif_refuses_and_writes_nothing) {
  const auto refusal = [&](const std::function<void(trace&)>& change) {
    trace t = traces::sample_trace();
    change(t);
    traces::put_trace(t, file_);
    const auto result = evencube({"trace", file_.string(), "--perfetto", out_.string()});
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_THAT(result.err, StartsWith("evencube: " + file_.string() + ": "));
    return result.err;
  };
  EXPECT_THAT(refusal([](trace& t) { t.transmission = "pigeon"; }), HasSubstr("pigeon"));
  EXPECT_THAT(refusal([](trace& t) { t.tasks[0].group = 0; }), HasSubstr("never ends"));
  EXPECT_THAT(refusal([](trace& t) {
                t = trace{};
                t.topology = "cube:2";
              }),
              HasSubstr("holds no work"));
  traces::put_trace(traces::sample_trace(), file_);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 5);
  const auto cut = evencube({"trace", file_.string()});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("byte"));
  EXPECT_EQ(evencube({"trace", "/nowhere/x.trace"}).status, 2);
  EXPECT_EQ(evencube({"trace"}).status, 2);
}

TEST_F(trace_command, replaces_files_only_as_a_whole) {
  const std::string before = text_of(file_);
  const auto itself = evencube({"trace", file_.string(), "--perfetto", file_.string()});
  EXPECT_EQ(itself.status, 2);
  EXPECT_THAT(itself.err, HasSubstr("this is the trace itself"));
  EXPECT_EQ(text_of(file_), before);
  const auto nowhere = evencube({"trace", file_.string(), "--perfetto", "/nowhere/at/all.json"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("/nowhere/at/all.json"));
  std::ofstream(out_) << "old";
  const auto full =
      shell("ulimit -f 1; \"$0\" trace " + file_.string() + " --perfetto " + out_.string());
  EXPECT_NE(full.status, 0);
  EXPECT_EQ(text_of(out_), "old");
  EXPECT_EQ(evencube({"trace", file_.string(), "--perfetto", out_.string()}).status, 0);
  EXPECT_TRUE(nlohmann::json::accept(text_of(out_)));
}

// What no recording holds but a file may: tasks of one worker that overlap, names that act.
TEST_F(trace_command, writes_what_does_not_nest_as_pairs_and_names_as_text) {
  trace t;
  t.workload = "\x1b\"</script>\xff";
  t.topology = "cube:1";
  t.makespan = 30'000;
  t.tasks = {{traces::no_task, 0, 0, 0, 0, 20'000}, {traces::no_task, 0, 0, 0, 10'000, 30'000}};
  traces::put_trace(t, file_);
  const auto result = evencube({"trace", file_.string(), "--perfetto", out_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = nlohmann::json::parse(text_of(out_));
  EXPECT_THAT(object.at("otherData").at("workload").get<std::string>(),
              StartsWith("\x1b\"</script>"));
  std::string phases;
  for (const auto& event : object.at("traceEvents")) phases += event.at("ph").get<std::string>();
  EXPECT_EQ(phases, "MMMMMXbe");
}

TEST_F(trace_command, writes_a_page_in_which_names_are_text) {
  trace t = traces::sample_trace();
  t.workload = "</script><script>alert(1)</script>\xff";
  traces::put_trace(t, file_);
  const auto page = folder_ / "page.html";
  const auto result = evencube({"trace", file_.string(), "--html", page.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string text = text_of(page);
  EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(text, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(text, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  // Of the sample: under the recorded strategy, five others, and on 1, 4 and 8 workers.
  const auto begin = text.find("{", text.find("id=\"report\""));
  const auto report =
      nlohmann::json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  ASSERT_EQ(report.at("what_if").size(), 9U);
  EXPECT_EQ(report.at("what_if")[0].at("recorded"), true);
  for (const auto& row : report.at("what_if")) EXPECT_GT(row.at("seconds"), 0) << row;
  EXPECT_EQ(report.at("figures"), evencube({"trace", file_.string(), "--json"}).as_json());
}

// A million tasks take some ten bytes each, not the hundred of JSON.
TEST_F(trace_command, keeps_the_page_of_a_large_run_small) {
  trace t;
  t.workload = "large";
  t.topology = "cube:2";
  t.makespan = 2'000'000'000;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const std::uint64_t start = std::uint64_t{i} * 10'000;
    t.tasks.push_back({traces::no_task, i % 2, start / 2, i % 2, start, start + 9'000});
  }
  traces::put_trace(t, file_);
  const auto page = folder_ / "page.html";
  ASSERT_EQ(evencube({"trace", file_.string(), "--html", page.string()}).status, 0);
  EXPECT_LT(std::filesystem::file_size(page), 200'000U * 20);
}

TEST_F(trace_command, writes_two_files_at_once_but_not_into_one) {
  const auto page = folder_ / "page.html";
  ASSERT_EQ(
      evencube({"trace", file_.string(), "--html", page.string(), "--perfetto", out_.string()})
          .status,
      0);
  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_TRUE(std::filesystem::exists(out_));
  const auto twice =
      evencube({"trace", file_.string(), "--html", out_.string(), "--perfetto", out_.string()});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("this is also the file of --perfetto"));
  EXPECT_EQ(evencube({"trace", file_.string(), "--html", "/nowhere/page.html"}).status, 2);
  EXPECT_EQ(evencube({"trace", file_.string(), "--html", ""}).status, 2);
}

// The command's own runtime is like that of any program here.
TEST_F(trace_command, shows_what_the_environment_asked_a_program_to_record) {
  const auto recorded = folder_ / "run.trace";
  const auto ran =
      shell("EVENCUBE_TRACE=" + quoted(recorded) + " \"$0\" run edges --size 256 --workers 2");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("to look at it: evencube trace " + recorded.string()));
  const auto page = folder_ / "run.html";
  const auto shown = evencube({"trace", recorded.string(), "--html", page.string(), "--json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.as_json().at("workers"), 2);
  EXPECT_GT(shown.as_json().at("tasks"), 1);
  EXPECT_TRUE(std::filesystem::exists(page));
  const auto replayed = evencube({"whatif", recorded.string(), "--balancer", "none,oem"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
}

}  // namespace
}  // namespace evencube::cli::testing
