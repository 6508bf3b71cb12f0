#include <algorithm>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/papers/reproduction.hpp>

namespace evencube::papers {
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
  // The approximation of a_n and b_n, and the second moment that the paper prints.
  EXPECT_EQ(count_verdicts({&r, 1}).printed[3], 3U);
  EXPECT_EQ(count_verdicts({&r, 1}).best[3], 1U);
}

TEST(reproduction_verdict, berenbrink_theorem_holds_on_every_network) {
  EXPECT_THAT(against_the_paper("berenbrink-theorem"), IsEmpty());
  EXPECT_EQ(find_experiment("berenbrink-theorem").run({}).verdicts.size(), 8U);
}

// The rule behind the DEM columns of Table 1: every number but the paper's own split of two rows.
TEST(reproduction_verdict, rim_table_1_under_both_readings) {
  const reproduction r = find_experiment("rim-table-1").run({});
  EXPECT_FALSE(r.best_reading.empty());
  std::vector<std::string> off;
  std::size_t printed_off = 0;
  for (const verdict& v : r.verdicts) {
    if (v.best_how() == agreement::opposite) off.push_back(v.what + ": " + v.best_ours());
    if (v.how != agreement::equal) ++printed_off;
    // The rule was chosen because it gives the columns.
    if (v.what.find("DEM") != std::string::npos) {
      EXPECT_NE(v.best_how(), agreement::equal) << v.what;
    }
  }
  EXPECT_THAT(off,
              testing::ElementsAre("16 processors, DEM, differences 3, 4 and above: 177974, 4"));
  EXPECT_EQ(printed_off, 9U);
  const auto sum = std::find_if(r.verdicts.begin(), r.verdicts.end(), [](const verdict& v) {
    return v.what == "16 processors, DEM, differences 3, 4 and above together";
  });
  ASSERT_NE(sum, r.verdicts.end());
  EXPECT_EQ(sum->best_ours(), "177978");
  EXPECT_EQ(sum->paper, "177978");
}

/// The verdicts whose name begins so, under the best reading.
std::vector<agreement> best_of(const reproduction& r, const std::string& begin) {
  std::vector<agreement> found;
  for (const verdict& v : r.verdicts) {
    if (v.what.starts_with(begin)) found.push_back(v.best_how());
  }
  return found;
}

TEST(reproduction_verdict, rim_margins_under_the_best_reading) {
  using testing::Contains;
  using testing::Each;
  using testing::Not;
  const reproduction communication = find_experiment("rim-fig-12-13").run({});
  EXPECT_THAT(best_of(communication, ""), Each(agreement::direction));
  const reproduction speed_up = find_experiment("rim-fig-9").run({});
  EXPECT_EQ(speed_up.verdicts.size(), 8U);
  EXPECT_THAT(best_of(speed_up, "OEM's"), Each(agreement::direction));
}

TEST(reproduction_verdict, of_worked_examples) {
  for (const char* const id :
       {"rim-fig-6", "rim-hybrid", "rim-table-2", "loh-fig-1-3", "loh-table-a", "mehrotra-loop",
        "rim-fig-10-11", "rim-fig-14-21", "rim-abstract"}) {
    EXPECT_THAT(against_the_paper(id), IsEmpty()) << id;
    EXPECT_GE(find_experiment(id).run({}).verdicts.size(), 2U) << id;
  }
}

// An opposite without a reason is an open question.
TEST(reproduction_verdict, every_opposite_has_its_argument) {
  for (const experiment& e : experiments()) {
    for (const verdict& v : e.run({}).verdicts) {
      if (v.best_how() != agreement::opposite) continue;
      EXPECT_FALSE(v.why.empty() && (!v.best || v.best->why.empty())) << e.id << ": " << v.what;
    }
  }
}

// One set of parameters for all cells: every strategy gains everywhere, and the claims of the text
// that decide what a task pays on its way hold.
TEST(reproduction_verdict, loh_tables_under_the_best_reading) {
  const reproduction r = find_experiment("loh-table-2-3").run({});
  const auto gains = best_of(r, "Pi, ");
  EXPECT_EQ(gains.size(), 8U);
  EXPECT_THAT(gains, testing::Not(testing::Contains(agreement::opposite)));
  EXPECT_THAT(best_of(r, "processors above the high mark"), testing::Each(agreement::direction));
  EXPECT_THAT(best_of(r, "tasks that cross"), testing::Each(agreement::direction));
  EXPECT_THAT(best_of(r, "T_none / T_opt, unstable"), testing::Each(agreement::direction));
  EXPECT_THAT(best_of(r, "T_none with tasks"), testing::Each(agreement::direction));
  EXPECT_THAT(best_of(r, "RI on the cube"), testing::Each(agreement::direction));
  const verdict_counts counts = count_verdicts({&r, 1});
  EXPECT_LT(counts.best[3], counts.printed[3]);
  // The cell that no reading gives says why, from bounds that leave no room for the paper's number.
  const auto ri = std::find_if(r.verdicts.begin(), r.verdicts.end(), [](const verdict& v) {
    return v.what.starts_with("RI on the cube");
  });
  ASSERT_NE(ri, r.verdicts.end());
  EXPECT_THAT(ri->why, testing::AllOf(testing::HasSubstr("Not attainable"),
                                      testing::HasSubstr(": 27 transfers of 200 ms"),
                                      testing::HasSubstr("Pi is at most 0.8")));
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
            "what,paper,ours,agreement,why,\"ours, best reading\",\"agreement, best reading\","
            "\"why, best reading\"\nwhat,1,2,opposite,\"why, indeed\",2,opposite,\n");
  EXPECT_THAT(files.at("pictures.json"), testing::HasSubstr(R"("title": "T \"x\"")"));
  EXPECT_EQ(files.size(), 4U);
}

TEST(written_reproduction, a_second_reading_has_its_own_columns) {
  reproduction r;
  r.id = "sample";
  r.best_reading = "The other way round.";
  r.verdicts = {{"first", "1", "2", agreement::opposite, "", other_finding{"1", agreement::equal}},
                {"second", "3", "3", agreement::equal, ""}};
  EXPECT_THAT(files_of(r).at("verdicts.csv"),
              testing::HasSubstr("first,1,2,opposite,,1,equal,\nsecond,3,3,equal,,3,equal,\n"));
  const std::string page = to_markdown({&r, 1}, "pictures");
  EXPECT_THAT(page, testing::HasSubstr("**Best reading.** The other way round."));
  EXPECT_THAT(page, testing::HasSubstr("| first | 1 | 2 | opposite | 1 | equal |"));
  EXPECT_THAT(page, testing::HasSubstr("| as printed | 1 | 0 | 0 | 1 | 0 |\n"
                                       "| best reading found | 2 | 0 | 0 | 0 | 0 |"));
  EXPECT_EQ(to_string(count_verdicts({&r, 1}).best),
            "2 equal, 0 within, 0 direction, 0 opposite, 0 unstated");
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
}  // namespace evencube::papers
