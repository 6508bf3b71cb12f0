// The harness of the benchmark programs: what it refuses, how often it runs, what it reports.
#include "common/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

using ::testing::HasSubstr;

const workload about{
    "digging",
    "hole",
    {{"depth", "9", "2", "metres"}, {"soil", "clay", "sand", "", {"clay", "sand"}}}};
const engine by{"spade", {{"hands", "two", "two", "", {"one", "two"}}}};

program made(std::vector<std::string> words) {
  words.insert(words.begin(), "digging_spade");
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  return program(about, by, static_cast<int>(pointers.size()), pointers.data());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    made(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(not refused)";
}

TEST(program, settings_have_usual_tiny_and_given_values) {
  EXPECT_EQ(made({}).number("depth"), 9U);
  EXPECT_EQ(made({}).word("soil"), "clay");
  EXPECT_EQ(made({"--tiny"}).number("depth"), 2U);
  EXPECT_EQ(made({"--depth", "5", "--tiny"}).number("depth"), 5U);
  EXPECT_EQ(made({"--hands", "one"}).word("hands"), "one");
  EXPECT_EQ(made({"--workers", "3"}).workers(), 3U);
}

TEST(program, bad_command_lines_are_refused_by_value) {
  EXPECT_THAT(refusal({"--depth", "deep"}), HasSubstr("--depth deep"));
  EXPECT_THAT(refusal({"--depth", "-1"}), HasSubstr("--depth -1"));
  EXPECT_THAT(refusal({"--soil", "rock"}), HasSubstr("--soil rock"));
  EXPECT_THAT(refusal({"--workers", "0"}), HasSubstr("--workers 0"));
  EXPECT_THAT(refusal({"--repetitions", "0"}), HasSubstr("--repetitions 0"));
  EXPECT_THAT(refusal({"--width", "1"}), HasSubstr("--width is unknown"));
  EXPECT_THAT(refusal({"--depth"}), HasSubstr("--depth needs a value"));
  EXPECT_THAT(refusal({"depth"}), HasSubstr("\"depth\" is not an option"));
}

// Calls in order: p(repare), r(un), v(erify).
struct log_of_calls {
  std::string text;
  std::string verdict;

  trial as_trial(double work_seconds = 0.0) {
    return {.units = 4.0,
            .prepare = [this] { text += 'p'; },
            .run = [this] { return text += 'r', 0.5; },
            .verify = [this] { return text += 'v', verdict; },
            .work_seconds = work_seconds};
  }
};

TEST(program, warm_up_runs_are_verified_but_not_reported) {
  log_of_calls log;
  program run = made({"--warm-up", "2", "--repetitions", "3"});
  testing::internal::CaptureStdout();
  EXPECT_EQ(run.measure(log.as_trial()), 0);
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_EQ(log.text, "prvprvprvprvprv");
  EXPECT_THAT(printed, HasSubstr("\"seconds\": [0.5, 0.5, 0.5]"));
  EXPECT_THAT(printed, HasSubstr("\"verified\": true"));
  EXPECT_THAT(printed, HasSubstr("\"unit\": \"hole\", \"units\": 4"));
}

TEST(program, a_wrong_result_stops_it_and_is_said) {
  log_of_calls log{.text = {}, .verdict = "not deep enough"};
  program run = made({"--warm-up", "0", "--repetitions", "3"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run.measure(log.as_trial()), 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("\"verified\": false"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("not deep enough"));
  EXPECT_EQ(log.text, "prv");
}

TEST(program, efficiency_is_work_over_time_and_workers) {
  log_of_calls log;
  program run = made({"--workers", "2", "--warm-up", "0"});
  testing::internal::CaptureStdout();
  EXPECT_EQ(run.measure(log.as_trial(0.8)), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("\"efficiency\": [0.8]"));
}

TEST(program, details_are_members_of_what_is_printed) {
  log_of_calls log;
  program run = made({"--warm-up", "0"});
  trial with_details = log.as_trial();
  with_details.details = [] { return std::string("\"spades\": 2"); };
  testing::internal::CaptureStdout();
  EXPECT_EQ(run.measure(with_details), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr(", \"spades\": 2, "));
}

}  // namespace
}  // namespace bench
