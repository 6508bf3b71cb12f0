#include <algorithm>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/simulator/reproduction.hpp>

namespace evencube::simulator {
namespace {

std::vector<std::string> against_the_paper(const char* id) {
  std::vector<std::string> found;
  for (const verdict& v : find_experiment(id).run({}).verdicts) {
    if (v.how == agreement::opposite) found.push_back(v.what + ": " + v.ours);
  }
  return found;
}

std::size_t equal_count(const reproduction& r) {
  return static_cast<std::size_t>(
      std::count_if(r.verdicts.begin(), r.verdicts.end(),
                    [](const verdict& v) { return v.how == agreement::equal; }));
}

using testing::IsEmpty;

TEST(reproduction_verdict, loh_table_1_cell_by_cell) {
  const reproduction r = find_experiment("loh-table-1").run({});
  EXPECT_EQ(equal_count(r), 12U);
  EXPECT_THAT(against_the_paper("loh-table-1"), IsEmpty());
}

TEST(reproduction_verdict, rim_figure_3) { EXPECT_THAT(against_the_paper("rim-fig-3"), IsEmpty()); }

TEST(reproduction_verdict, cybenko_theorems_but_for_the_misprint) {
  const auto wrong = against_the_paper("cybenko-theorem-1-to-5");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_THAT(wrong[0], testing::StartsWith("Theorem 5: steady variance of dimension exchange"));
}

TEST(reproduction_verdict, mehrotra_numbers) {
  const reproduction r = find_experiment("mehrotra-theory").run({});
  EXPECT_EQ(equal_count(r), 9U);
  EXPECT_EQ(equal_count(find_experiment("mehrotra-application").run({})), 1U);
}

TEST(reproduction_registry, ids_are_unique_and_unknown_ones_refused) {
  std::set<std::string_view> ids;
  for (const experiment& e : experiments()) EXPECT_TRUE(ids.insert(e.id).second) << e.id;
  EXPECT_THROW((void)find_experiment("rim-fig-99"), std::invalid_argument);
}

TEST(reproduction_progress, stopping_leaves_a_partial_result) {
  reproduce_options options;
  int calls = 0;
  options.progress = [&](double share) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    return ++calls < 3;
  };
  const reproduction r = find_experiment("mehrotra-theory").run(options);
  EXPECT_TRUE(r.partial);
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(to_markdown({&r, 1}, "pictures"), testing::HasSubstr("Partial"));
}

TEST(written_reproduction, fields_with_separators_are_quoted) {
  reproduction r;
  r.id = "sample";
  r.tables = {{"numbers", {"a", "b"}, {{"1,5", "say \"so\""}}}};
  r.pictures = {{"p", "T \"x\"", "numbers", "a", {"b"}, "", "x", "y"}};
  r.verdicts = {{"what", "1", "2", agreement::opposite, "why, indeed"}};
  const auto files = files_of(r);
  EXPECT_EQ(files.at("numbers.csv"), "a,b\n\"1,5\",\"say \"\"so\"\"\"\n");
  EXPECT_EQ(files.at("verdicts.csv"),
            "what,paper,ours,agreement,why\nwhat,1,2,opposite,\"why, indeed\"\n");
  EXPECT_THAT(files.at("pictures.json"), testing::HasSubstr(R"("title": "T \"x\"")"));
  EXPECT_EQ(files.size(), 4U);
}

TEST(written_reproduction, a_partial_one_has_another_folder) {
  reproduction r;
  r.id = "sample";
  EXPECT_EQ(folder_of(r), "sample");
  r.partial = true;
  r.pictures = {{"p", "T", "numbers", "a", {"b"}, "", "x", "y"}};
  EXPECT_EQ(folder_of(r), "sample.partial");
  EXPECT_THAT(to_markdown({&r, 1}, "."), testing::HasSubstr("(./sample.partial/p.svg)"));
}

}  // namespace
}  // namespace evencube::simulator
