// evencube reproduce: directories, verdicts, the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class reproduce_command : public ::testing::Test {
 protected:
  reproduce_command()
      : directory_(std::filesystem::path(::testing::TempDir()) /
                   (std::string("evencube_reproduce_") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }
  ~reproduce_command() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// How many unfinished things stand about.
  [[nodiscard]] std::size_t drafts() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (entry.path().filename().string().starts_with(".evencube")) ++count;
    }
    return count;
  }

  std::filesystem::path directory_;
};

TEST_F(reproduce_command, writes_data_verdicts_and_the_page) {
  const auto result = evencube(
      {"reproduce", "loh-table-1", "rim-fig-14-21", "--no-plots", "--output", directory_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("as printed: 15 equal, 0 within, 4 direction, 0 opposite"));
  EXPECT_THAT(result.out, HasSubstr("best reading: 15 equal"));
  EXPECT_THAT(read("loh-table-1/networks.csv"), HasSubstr("Fibonacci cube,2.4083"));
  EXPECT_THAT(read("rim-fig-14-21/verdicts.csv"), HasSubstr("DEM pipelined (Fig. 19),7,7,equal"));
  EXPECT_THAT(read("papers.md"), HasSubstr("## loh-table-1"));
}

TEST_F(reproduce_command, gives_the_same_data_on_any_number_of_threads) {
  std::set<std::string> contents;
  for (const char* threads : {"1", "2"}) {
    ASSERT_EQ(evencube({"reproduce", "rim-fig-22-23", "--no-plots", "--threads", threads,
                        "--output", directory_.string()})
                  .status,
              0);
    contents.insert(read("rim-fig-22-23/ratios.csv"));
  }
  EXPECT_EQ(contents.size(), 1U);
  EXPECT_GT(contents.begin()->size(), 1000U);
}

// Everything that is drawn at random or run in parallel, and is quick.
TEST_F(reproduce_command, the_hash_of_all_data_depends_on_the_seed_alone) {
  const auto hash_with = [&](const char* threads, const char* seed) {
    const auto result = evencube({"reproduce", "table-1", "rim-fig-7-8", "loh-fig-7-8",
                                  "mehrotra-application", "--no-plots", "--json", "--threads",
                                  threads, "--seed", seed, "--output", directory_.string()});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("hash").get<std::string>();
  };
  const std::string once = hash_with("1", "1");
  EXPECT_EQ(hash_with("2", "1"), once);
  EXPECT_EQ(hash_with("2", "1"), once);
  EXPECT_NE(hash_with("2", "2"), once);
}

TEST_F(reproduce_command, table_1_is_counted_for_8_and_16_nodes_and_for_32_in_the_long_form) {
  const std::vector<std::string> arguments{"reproduce", "table-1", "--no-plots", "--output",
                                           directory_.string()};
  ASSERT_EQ(evencube(arguments).status, 0);
  EXPECT_THAT(read("rim-table-1/verdicts.csv"),
              AllOf(HasSubstr("\"8 processors, OEM, difference 1\",925739,925739,equal"),
                    HasSubstr("\"16 processors, OEM, difference 2\",4996230,4996230,equal"),
                    HasSubstr("\"8 processors, DEM, difference 1\",819747,612765,opposite"),
                    HasSubstr(",819747,direction,"), Not(HasSubstr("32 processors"))));
  EXPECT_THAT(read("papers.md"), HasSubstr("**Best reading.** DEM columns: a pair that differs"));
  auto longer = arguments;
  longer.emplace_back("--long");
  ASSERT_EQ(evencube(longer).status, 0);
  EXPECT_THAT(read("rim-table-1/verdicts.csv"),
              AllOf(HasSubstr("\"32 processors, OEM, difference 1\",273339227,273339227,equal"),
                    HasSubstr(",55412,direction,"), HasSubstr(",117986702,direction,"),
                    HasSubstr(",220341830,direction,"), HasSubstr(",11959621,direction,")));
}

// Stopped in the middle: what was done is written and says so, what was complete before stays. It
// is the shell itself that becomes the program: a background job would inherit SIGINT as ignored.
TEST_F(reproduce_command, an_interrupted_run_keeps_what_it_has) {
  std::filesystem::create_directories(directory_ / "rim-fig-7-8");
  std::ofstream(directory_ / "rim-fig-7-8" / "precious.csv") << "kept";
  std::ofstream(directory_ / "papers.md") << "kept";
  for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    // Once the first is done, and a little later, in the midst of the second.
    const auto first = directory_ / "rim-fig-14-21" / "verdicts.csv";
    std::filesystem::remove(first);
    const auto result = shell(
        "(for i in $(seq 2000); do if [ -e " + quoted(first) +
        " ] || ! kill -0 $$; then break; fi; " + "sleep 0.05; done; sleep 0.2; kill -s " + signal +
        " $$) & " + "exec \"$0\" reproduce rim-fig-14-21 rim-fig-7-8 rim-fig-22-23 " +
        "--long --no-plots --json --threads 1 --output " + quoted(directory_));
    ASSERT_EQ(result.status, status) << result.err;
    const auto object = result.as_json();
    EXPECT_EQ(object.at("partial"), true);
    const auto& reproductions = object.at("reproductions");
    ASSERT_GE(reproductions.size(), 1U);
    EXPECT_EQ(reproductions[0].at("partial"), false);
    EXPECT_THAT(read("rim-fig-14-21/verdicts.csv"), HasSubstr("DEM pipelined"));
    EXPECT_THAT(read("papers.partial.md"), HasSubstr("## rim-fig-14-21"));
    for (const auto& one : reproductions) {
      const std::string folder = one.at("directory");
      EXPECT_EQ(folder.ends_with(".partial"), one.at("partial").get<bool>()) << folder;
    }
    EXPECT_EQ(read("rim-fig-7-8/precious.csv"), "kept");
    EXPECT_EQ(read("papers.md"), "kept");
    EXPECT_EQ(drafts(), 0U);
  }
}

// Another run must not harm what the one before left: with no room for a byte, and interrupted.
TEST_F(reproduce_command, a_run_that_cannot_write_leaves_what_was_there) {
  const std::vector<std::string> arguments{"reproduce", "rim-fig-14-21", "--no-plots", "--output",
                                           directory_.string()};
  ASSERT_EQ(evencube(arguments).status, 0);
  std::ofstream(directory_ / "rim-fig-14-21" / "notes.txt") << "mine";
  const auto verdicts = read("rim-fig-14-21/verdicts.csv");
  const auto page = read("papers.md");
  for (const char* const before : {"", "trap '' XFSZ; "}) {
    const auto result =
        shell("(" + std::string(before) + "ulimit -f 0; \"$0\" reproduce " +
              "rim-fig-14-21 --no-plots --output " + quoted(directory_) + ") 2>&1 | cat");
    EXPECT_THAT(result.out, HasSubstr(".csv: cannot write: File too large"));
    EXPECT_EQ(read("rim-fig-14-21/verdicts.csv"), verdicts);
    EXPECT_EQ(read("papers.md"), page);
    EXPECT_EQ(read("rim-fig-14-21/notes.txt"), "mine");
    EXPECT_EQ(drafts(), 0U);
  }
  // And one that can replaces the results as a whole, but not what is not its own.
  std::ofstream(directory_ / "rim-fig-14-21" / "of-an-older-version.csv") << "old";
  ASSERT_EQ(evencube(arguments).status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "rim-fig-14-21" / "of-an-older-version.csv"));
  EXPECT_EQ(read("rim-fig-14-21/notes.txt"), "mine");
  EXPECT_EQ(read("rim-fig-14-21/verdicts.csv"), verdicts);
  EXPECT_EQ(drafts(), 0U);
}

TEST_F(reproduce_command, json_lists_verdicts) {
  const auto result =
      evencube({"reproduce", "rim-fig-3", "--no-plots", "--json", "--output", directory_.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("partial"), false);
  ASSERT_EQ(object.at("reproductions").size(), 1U);
  const auto& counts = object.at("verdicts");
  for (const char* reading : {"printed", "best"}) {
    EXPECT_EQ(counts.at(reading).at("opposite"), 0);
    EXPECT_EQ(counts.at(reading).at("equal"), object.at("reproductions")[0].at("verdicts").size());
  }
  for (const auto& verdict : object.at("reproductions")[0].at("verdicts")) {
    EXPECT_EQ(verdict.at("agreement"), "equal") << verdict;
    EXPECT_EQ(verdict.at("best").at("agreement"), "equal") << verdict;
  }
}

TEST_F(reproduce_command, refuses_unknown_ids_and_places_it_cannot_write) {
  const auto unknown = evencube({"reproduce", "rim-fig-99"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("rim-fig-99"));
  // Its verdicts would count twice.
  for (const std::string other : {"all", "table-1"}) {
    const auto twice = evencube({"reproduce", "rim-table-1", other});
    EXPECT_EQ(twice.status, 2);
    EXPECT_THAT(twice.err, HasSubstr("rim-table-1: is given twice"));
  }
  std::ofstream(directory_) << "in the way";
  const auto blocked = evencube({"reproduce", "loh-table-1", "--output", directory_.string()});
  EXPECT_EQ(blocked.status, 2);
  EXPECT_THAT(blocked.err, HasSubstr(directory_.string()));
  std::filesystem::remove(directory_);
  std::filesystem::create_directory(directory_);
  std::ofstream(directory_ / "loh-table-1") << "in the way";
  const auto inner = evencube({"reproduce", "loh-table-1", "--output", directory_.string()});
  EXPECT_EQ(inner.status, 2);
  EXPECT_THAT(inner.err, HasSubstr("loh-table-1: is in the way"));
}

}  // namespace
}  // namespace evencube::cli::testing
