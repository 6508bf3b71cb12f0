// Results are written file by file, each as a whole, and what is not of their making stays.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <latch>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

#include <evencube/workloads/output_file.hpp>

#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr uid_t nobody = 65534;

constexpr std::array<std::string_view, 2> endings{".csv", ".svg"};

std::string failure(const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& files) {
  try {
    replace_folder(folder, files, endings);
  } catch (const output_error& problem) {
    return problem.what();
  }
  return "no failure";
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(output_folder, is_made_with_all_its_files) {
  const scratch_folder folder;
  EXPECT_EQ(failure(folder / "results", {{"a.csv", "1"}, {"b.json", "2"}}), "no failure");
  EXPECT_THAT(names_in(folder / "results"), ElementsAre("a.csv", "b.json"));
  EXPECT_EQ(file_bytes(folder / "results" / "a.csv"), text_bytes("1"));
  EXPECT_THAT(folder.names(), ElementsAre("results"));
}

TEST(output_folder, is_replaced_but_for_what_is_not_of_its_making) {
  const scratch_folder folder;
  const auto results = folder / "results";
  ASSERT_EQ(failure(results, {{"a.csv", "old"}, {"gone.csv", "old"}}), "no failure");
  put_file(results / "drawn.svg", text_bytes("of the old numbers"));
  put_file(results / "notes.txt", text_bytes("mine"));
  std::filesystem::create_directory(results / "more.csv");  // a folder is nobody's table
  put_file(results / "more.csv" / "x", text_bytes("mine too"));
  ASSERT_EQ(::chmod(results.c_str(), 0750), 0);
  EXPECT_EQ(failure(results, {{"a.csv", "new"}}), "no failure");
  EXPECT_THAT(names_in(results), ElementsAre("a.csv", "more.csv", "notes.txt"));
  EXPECT_EQ(file_bytes(results / "a.csv"), text_bytes("new"));
  EXPECT_EQ(file_bytes(results / "more.csv" / "x"), text_bytes("mine too"));
  struct stat status = {};
  ASSERT_EQ(::stat(results.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0750U);
  EXPECT_THAT(folder.names(), ElementsAre("results"));
}

TEST(output_folder, through_a_link_the_linked_folder_is_replaced) {
  const scratch_folder folder;
  ASSERT_EQ(failure(folder / "real", {{"a.csv", "old"}}), "no failure");
  std::filesystem::create_directory_symlink("real", folder / "link");
  EXPECT_EQ(failure(folder / "link", {{"a.csv", "new"}}), "no failure");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(file_bytes(folder / "real" / "a.csv"), text_bytes("new"));
}

TEST(output_folder, that_cannot_be_written_stays_as_it_was) {
  const scratch_folder folder;
  const auto results = folder / "results";
  ASSERT_EQ(failure(results, {{"a.csv", "old"}}), "no failure");
  EXPECT_THAT(failure(results, {{"a.csv", "new"}, {"no/such/place.csv", "x"}}),
              StartsWith((results / "no/such/place.csv").string() + ": cannot write: No such"));
  EXPECT_THAT(names_in(results), ElementsAre("a.csv"));
  EXPECT_EQ(file_bytes(results / "a.csv"), text_bytes("old"));
  EXPECT_THAT(folder.names(), ElementsAre("results"));
  put_file(folder / "file", text_bytes("in the way"));
  EXPECT_THAT(failure(folder / "file", {{"a.csv", "x"}}), HasSubstr("File exists"));
  EXPECT_THAT(failure(folder / "missing" / "results", {}), HasSubstr("No such file"));
  EXPECT_EQ(file_bytes(folder / "file"), text_bytes("in the way"));
  EXPECT_THAT(folder.names(), ElementsAre("file", "results"));
}

std::uint64_t inode_of(const std::filesystem::path& folder) {
  struct stat status = {};
  return ::stat(folder.c_str(), &status) == 0 ? status.st_ino : 0;
}

TEST(output_folder, in_which_the_program_stands_stays_the_same) {
  const scratch_folder folder;
  const auto results = folder / "results";
  ASSERT_EQ(failure(results, {{"a.csv", "old"}, {"gone.csv", "old"}}), "no failure");
  put_file(results / "notes.txt", text_bytes("mine"));
  const auto before = inode_of(results);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(results);
  EXPECT_EQ(failure(".", {{"a.csv", "new"}, {"b.csv", "new"}}), "no failure");
  EXPECT_THAT(failure(".", {{"a.csv", "newer"}, {"no/such/place.csv", "x"}}),
              StartsWith("./no/such/place.csv: cannot write: No such file"));
  EXPECT_EQ(inode_of("."), before);
  std::filesystem::current_path(here);
  EXPECT_EQ(inode_of(results), before);
  EXPECT_THAT(names_in(results), ElementsAre("a.csv", "b.csv", "notes.txt"));
  EXPECT_EQ(file_bytes(results / "a.csv"), text_bytes("new"));
  EXPECT_THAT(folder.names(), ElementsAre("results"));
}

TEST(output_folder, beside_which_nothing_may_stand_is_written_to) {
  const scratch_folder folder;
  const auto results = folder / "results";
  ASSERT_EQ(failure(results, {{"gone.csv", "old"}}), "no failure");
  const bool root = ::geteuid() == 0;  // who may write everywhere
  if (root) {
    ASSERT_EQ(::chown(results.c_str(), nobody, static_cast<gid_t>(-1)), 0);
    ASSERT_EQ(::chown((results / "gone.csv").c_str(), nobody, static_cast<gid_t>(-1)), 0);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  ASSERT_EQ(root ? ::seteuid(nobody) : 0, 0);
  EXPECT_EQ(failure(results, {{"a.csv", "new"}}), "no failure");
  EXPECT_THAT(failure(folder / "more", {{"a.csv", "new"}}), HasSubstr("Permission denied"));
  ASSERT_EQ(root ? ::seteuid(0) : 0, 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_THAT(names_in(results), ElementsAre("a.csv"));
  EXPECT_THAT(folder.names(), ElementsAre("results"));
}

TEST(output_folder, keeps_links_that_lead_nowhere_and_folders) {
  const scratch_folder folder;
  const auto results = folder / "results";
  ASSERT_EQ(failure(results, {{"a.csv", "old"}}), "no failure");
  std::filesystem::create_symlink("circle.csv", results / "circle.csv");
  std::filesystem::create_symlink("nowhere", results / "dangling.csv");
  EXPECT_EQ(failure(results, {{"a.csv", "new"}}), "no failure");
  EXPECT_THAT(names_in(results), ElementsAre("a.csv", "circle.csv", "dangling.csv"));
  std::filesystem::create_directory(results / "b.csv");
  put_file(results / "b.csv" / "x", text_bytes("mine"));
  EXPECT_THAT(failure(results, {{"a.csv", "newer"}, {"b.csv", "newer"}}),
              StartsWith((results / "b.csv").string() + ": cannot write: Is a directory"));
  EXPECT_EQ(file_bytes(results / "b.csv" / "x"), text_bytes("mine"));
  EXPECT_EQ(file_bytes(results / "a.csv"), text_bytes("new"));
  EXPECT_THAT(folder.names(), ElementsAre("results"));
}

TEST(output_folder, may_be_made_by_several_at_once) {
  const scratch_folder folder;
  for (int round = 0; round < 20; ++round) {
    const auto results = folder / std::to_string(round);
    std::vector<std::string> ends(4);
    std::latch begun{4};
    {
      std::vector<std::jthread> all;
      for (std::size_t k = 0; k < ends.size(); ++k) {
        all.emplace_back([&, k] {
          begun.arrive_and_wait();
          ends[k] = failure(results, {{"a.csv", "x"}, {"b.csv", "y"}});
        });
      }
    }
    EXPECT_THAT(ends, ::testing::Each("no failure"));
    EXPECT_THAT(names_in(results), ElementsAre("a.csv", "b.csv"));
  }
  EXPECT_EQ(folder.names().size(), 20U);
}

TEST(output_folder, that_was_made_for_nothing_is_removed) {
  const scratch_folder folder;
  {
    const results_folder deep{folder / "a/b/c", true};
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  }
  EXPECT_THAT(folder.names(), IsEmpty());
  {
    const results_folder deep{folder / "a/b/", true};
    put_file(folder / "a/b/result", text_bytes("x"));
  }
  EXPECT_EQ(file_bytes(folder / "a/b/result"), text_bytes("x"));
  EXPECT_THROW(results_folder(folder / "a/b/result/c", true), output_error);
  EXPECT_THROW(results_folder(folder / "no/parents", false), output_error);
  EXPECT_THROW(results_folder(folder / "new" / std::string(300, 'n'), true), output_error);
  EXPECT_THAT(folder.names(), ElementsAre("a"));
}

// What the handler of a signal does.
TEST(output_file, that_is_unfinished_can_be_discarded) {
  const scratch_folder folder;
  EXPECT_THROW(replace_file(folder / "x",
                            [&](const byte_sink& to) {
                              to(text_bytes("half"));
                              EXPECT_EQ(folder.names().size(), 1U);
                              discard_drafts();
                              discard_drafts();
                              EXPECT_THAT(folder.names(), IsEmpty());
                            }),
               output_error);
  replace_file(folder / "y", text_bytes("whole"));
  discard_drafts();
  EXPECT_THAT(folder.names(), ElementsAre("y"));
}

// Only one of several is known to the handler; the others are removed by their owners.
TEST(output_file, any_number_may_be_unfinished) {
  const scratch_folder folder;
  const std::function<void(int)> nest = [&](int left) {
    replace_file(folder / "x", [&](const byte_sink& to) {
      if (left == 0) throw std::runtime_error{"the end"};
      to(text_bytes("half"));
      nest(left - 1);
    });
  };
  EXPECT_THROW(nest(10), std::runtime_error);
  EXPECT_THAT(folder.names(), IsEmpty());
  replace_file(folder / "x", text_bytes("whole"));
  EXPECT_THAT(folder.names(), ElementsAre("x"));
}

mode_t mode_of(const std::filesystem::path& file) {
  struct stat status = {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(output_file, keeps_permissions_but_lends_no_identity) {
  const scratch_folder folder;
  put_file(folder / "x", text_bytes("old"));
  for (const auto& [before, after] : {std::pair{06755U, 0755U}, {01640U, 0640U}, {0600U, 0600U}}) {
    ASSERT_EQ(::chmod((folder / "x").c_str(), before), 0);
    replace_file(folder / "x", text_bytes("new"));
    EXPECT_EQ(mode_of(folder / "x"), after);
    EXPECT_EQ(failure(folder.path(), {{"x", "newer"}}), "no failure");
    EXPECT_EQ(mode_of(folder / "x"), after);
  }
}

TEST(output_file, of_another_user_does_not_pass_its_permissions_on) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const scratch_folder folder;
  put_file(folder / "x", text_bytes("old"));
  ASSERT_EQ(::chown((folder / "x").c_str(), nobody, nobody), 0);
  ASSERT_EQ(::chmod((folder / "x").c_str(), 06777), 0);
  const auto umask = ::umask(027);
  replace_file(folder / "x", text_bytes("new"));
  ::umask(umask);
  EXPECT_EQ(mode_of(folder / "x"), 0640U);
}

// Root, too: a stranger who put the file there would still have it open.
TEST(output_file, of_another_user_in_a_sticky_folder_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const scratch_folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  put_file(folder / "mine", text_bytes("old"));
  put_file(folder / "x", text_bytes("old"));
  std::filesystem::create_symlink("mine", folder / "link");
  for (const char* const name : {"x", "link"}) {
    ASSERT_EQ(::lchown((folder / name).c_str(), nobody, nobody), 0);
    EXPECT_THROW(require_writable(folder / name), output_error) << name;
    EXPECT_THROW(replace_file(folder / name, text_bytes("new")), output_error) << name;
    EXPECT_THAT(failure(folder.path(), {{name, "new"}}), HasSubstr("sticky")) << name;
    EXPECT_EQ(file_bytes(folder / name), text_bytes("old")) << name;
  }
  replace_file(folder / "mine", text_bytes("new"));
  replace_file(folder / "more", text_bytes("new"));
  EXPECT_THAT(folder.names(), ElementsAre("link", "mine", "more", "x"));
}

TEST(output_file, names_of_one_file_are_known) {
  const scratch_folder folder;
  put_file(folder / "a", text_bytes("x"));
  std::filesystem::create_symlink("a", folder / "link");
  std::filesystem::create_hard_link(folder / "a", folder / "twin");
  std::filesystem::create_symlink("later", folder / "dangling");
  for (const char* const name : {"a", "link", "twin", "./a"}) {
    EXPECT_TRUE(same_file(folder / "a", folder / name)) << name;
  }
  EXPECT_TRUE(same_file(folder / "later", folder / "dangling"));
  EXPECT_FALSE(same_file(folder / "a", folder / "later"));
  EXPECT_THROW((void)same_file("", folder / "a"), output_error);
}

}  // namespace
}  // namespace evencube::workloads::testing
