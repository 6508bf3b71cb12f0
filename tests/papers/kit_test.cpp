// What experiments are written with: verdicts follow from numbers, and a stopped experiment keeps
// what was complete.
#include "kit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace evencube::papers {
namespace {

agreement how(const finding& found, const std::string& paper = "of the paper") {
  return found.against(paper, "").how;
}

TEST(finding, without_a_rule_is_compared_as_text) {
  EXPECT_EQ(how(std::string("2.67"), "2.67"), agreement::equal);
  EXPECT_EQ(how(std::string("2.670"), "2.67"), agreement::opposite);
  EXPECT_EQ(how(12, "12"), agreement::equal);
  EXPECT_EQ(how(13, "12"), agreement::opposite);
}

TEST(finding, of_a_statement_or_a_claim_is_what_holds) {
  EXPECT_EQ(how(proven(true, "log N")), agreement::equal);
  EXPECT_EQ(how(proven(false, "log N")), agreement::opposite);
  EXPECT_EQ(proven(false, "log N", "differs").against("log N", "").ours, "differs");
  EXPECT_EQ(how(claim(true, "yes")), agreement::within);
  EXPECT_EQ(how(claim(false, "no")), agreement::opposite);
  EXPECT_EQ(how({"all", {.equal = true, .within = true, .direction = true}}), agreement::equal);
  EXPECT_EQ(how({"two", {.within = true, .direction = true}}), agreement::within);
  EXPECT_EQ(how({"one", {.direction = true}}), agreement::direction);
  EXPECT_EQ(how(claim(true, "ours"), nothing_said), agreement::unstated);
  EXPECT_EQ(how(claim(false, "ours"), nothing_said), agreement::unstated);
}

TEST(finding, of_a_number_depends_on_the_tolerance) {
  EXPECT_EQ(how(near(10.4, 10, 0.05, "")), agreement::within);
  EXPECT_EQ(how(near(9.6, 10, 0.05, "")), agreement::within);
  EXPECT_EQ(how(near(10.6, 10, 0.05, "")), agreement::opposite);
  EXPECT_EQ(how(margin(25, 30, 1.0 / 3, "")), agreement::within);
  EXPECT_EQ(how(margin(41, 30, 1.0 / 3, "")), agreement::direction);
  EXPECT_EQ(how(margin(1, 30, 1.0 / 3, "")), agreement::direction);
  EXPECT_EQ(how(margin(-1, 30, 1.0 / 3, "")), agreement::opposite);
  // A gain that may as well be none is not of the paper's direction.
  EXPECT_EQ(how(margin({.mean = 1, .half_width = 2}, 30, 1.0 / 3, "")), agreement::opposite);
}

TEST(notebook, sets_both_readings_beside_the_paper) {
  reproduction done;
  notebook book({}, done);
  book.row("first", "7", 8, "why", 7, "why else");
  book.row("second", "7", 7);
  ASSERT_EQ(done.verdicts.size(), 2U);
  EXPECT_EQ(done.verdicts[0].how, agreement::opposite);
  EXPECT_EQ(done.verdicts[0].why, "why");
  EXPECT_EQ(done.verdicts[0].best_how(), agreement::equal);
  EXPECT_EQ(done.verdicts[0].best->why, "why else");
  EXPECT_FALSE(done.verdicts[1].best);
}

TEST(finding, under_a_reading_that_was_chosen_is_a_direction_at_most) {
  EXPECT_EQ(how(finding(12).chosen(), "12"), agreement::direction);
  EXPECT_EQ(how(claim(true, "yes").chosen()), agreement::direction);
  EXPECT_EQ(how(margin(1, 30, 1.0 / 3, "").chosen()), agreement::direction);
  EXPECT_EQ(how(finding(13).chosen(), "12"), agreement::opposite);
}

TEST(notebook, lowers_what_holds_under_a_chosen_reading) {
  reproduction done;
  notebook book({}, done);
  book.choose_best_reading("The other way round.");
  book.row("first", "7", 8, "", 7);
  book.row("second", "7", 7);
  EXPECT_THAT(done.best_reading, testing::HasSubstr("chosen for its result"));
  EXPECT_EQ(done.verdicts[0].best_how(), agreement::direction);
  EXPECT_EQ(done.verdicts[1].best_how(), agreement::equal);
}

TEST(notebook, keeps_tables_where_they_are) {
  reproduction done;
  notebook book({}, done);
  data_table& first = book.table("first", {"a", "b"});
  for (int i = 0; i < 100; ++i) book.table("other", {});
  add(first, 1, "text");
  EXPECT_THAT(done.tables.front().rows, testing::ElementsAre(testing::ElementsAre("1", "text")));
}

void two_stages(notebook& book) {
  add(book.table("first", {"sum"}),
      over(book.sample<std::size_t>(4, 0.5, [](std::size_t i) { return i; }),
           [](std::size_t value) { return value; })
          .count);
  book.run(4, 0.5, [](std::size_t) {});
  book.table("second", {});
}

TEST(experiment, that_is_stopped_keeps_what_was_complete) {
  const experiment one{"one", "Title", "Source", two_stages};
  const reproduction whole = one.run({});
  EXPECT_FALSE(whole.partial);
  EXPECT_EQ(whole.tables.size(), 2U);
  EXPECT_EQ(whole.source, "Source");
  std::vector<double> shares;
  reproduce_options options;
  options.progress = [&](double share) {
    shares.push_back(share);
    return share < 0.6;
  };
  const reproduction stopped = one.run(options);
  EXPECT_TRUE(stopped.partial);
  EXPECT_EQ(stopped.tables.size(), 1U);
  EXPECT_THAT(shares, testing::ElementsAre(0.125, 0.25, 0.375, 0.5, 0.625));
}

// The kit alone names agreements; experiments state what they compare, and no condition is a
// constant.
TEST(experiments, state_no_verdict_themselves) {
  const std::array<std::regex, 4> typed{
      std::regex(R"(agreement::)"), std::regex(R"((claim|proven)\(\s*(true|false)\b)"),
      std::regex(R"(\.(equal|within|direction)\s*=\s*(true|false)\b)"),
      std::regex(R"((near|margin)\(\s*[0-9.]+\s*,)")};
  std::size_t sources = 0;
  for (const auto& entry : std::filesystem::directory_iterator(EVENCUBE_PAPERS_SOURCES)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("kit.") || name.starts_with("writer.")) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::regex& one : typed) EXPECT_FALSE(std::regex_search(text, one)) << name;
    ++sources;
  }
  EXPECT_GT(sources, 10U);
}

}  // namespace
}  // namespace evencube::papers
