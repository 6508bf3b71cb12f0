#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
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

class written_reproduction : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) / "evencube_written_reproduction";
    std::filesystem::remove_all(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string read(const char* name) const {
    std::ifstream file(directory_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path directory_;
};

TEST_F(written_reproduction, fields_with_separators_are_quoted) {
  reproduction r;
  r.id = "sample";
  r.tables = {{"numbers", {"a", "b"}, {{"1,5", "say \"so\""}}}};
  r.pictures = {{"p", "T \"x\"", "numbers", "a", {"b"}, "", "x", "y"}};
  r.verdicts = {{"what", "1", "2", agreement::opposite, "why, indeed"}};
  write_reproduction(r, directory_);
  EXPECT_EQ(read("numbers.csv"), "a,b\n\"1,5\",\"say \"\"so\"\"\"\n");
  EXPECT_EQ(read("verdicts.csv"),
            "what,paper,ours,agreement,why\nwhat,1,2,opposite,\"why, indeed\"\n");
  EXPECT_THAT(read("pictures.json"), testing::HasSubstr(R"("title": "T \"x\"")"));
}

TEST_F(written_reproduction, a_directory_that_cannot_be_made_is_named) {
  std::filesystem::create_directories(directory_.parent_path());
  std::ofstream(directory_) << "a file";
  try {
    write_reproduction({}, directory_ / "inside");
    FAIL() << "accepted";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("evencube_written_reproduction"));
  }
}

}  // namespace
}  // namespace evencube::simulator
