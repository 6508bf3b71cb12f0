// What experiments are written with: verdicts follow from numbers, and a stopped experiment keeps
// what was complete.
#include "kit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(how(finding::unstated("ours")), agreement::unstated);
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

}  // namespace
}  // namespace evencube::papers
