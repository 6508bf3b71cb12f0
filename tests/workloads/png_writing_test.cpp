// Writing replaces the target in one step or leaves it alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <evencube/workloads/image_file.hpp>
#include <evencube/workloads/output_file.hpp>

#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

grey8 ramp() {
  grey8 picture{16, 16};
  for (std::uint32_t y = 0; y < 16; ++y) {
    for (std::uint32_t x = 0; x < 16; ++x) {
      picture.row(y)[x] = static_cast<std::uint8_t>(16 * y + x);
    }
  }
  return picture;
}

template <typename Action>
std::string failure(Action action) {
  try {
    action();
  } catch (const output_error& problem) {
    return problem.what();
  }
  return "no failure";
}

TEST(png_writing, grey_comes_back_exactly) {
  const scratch_folder folder;
  write_png(folder / "out.png", ramp());
  const auto back = read_picture(folder / "out.png");
  for (std::uint32_t at = 0; at < 256; ++at) {
    EXPECT_EQ(back.samples()[at], at * 257);
  }
  EXPECT_THAT(folder.names(), ElementsAre("out.png"));
}

TEST(png_writing, ink_covers_the_painted_pixels_only) {
  const scratch_folder folder;
  bytes paint(256, 0);
  paint[17] = 1;
  write_png(folder / "out.png", ramp(), paint, {255, 0, 0});
  const auto back = read_picture(folder / "out.png");
  for (std::uint32_t at = 0; at < 256; ++at) {
    EXPECT_EQ(back.samples()[at], at == 17 ? 19595 : at * 257);
  }
  EXPECT_THROW(write_png(folder / "out.png", ramp(), bytes(255, 0), {}), std::invalid_argument);
}

TEST(png_writing, an_existing_file_is_replaced_and_keeps_its_permissions) {
  const scratch_folder folder;
  const auto target = folder / "out.png";
  put_file(target, text_bytes("old"));
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  write_png(target, ramp());
  struct stat status = {};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(read_picture(target).width(), 16U);
}

TEST(png_writing, through_a_link_the_linked_file_is_replaced) {
  const scratch_folder folder;
  put_file(folder / "real.png", text_bytes("old"));
  std::filesystem::create_symlink("real.png", folder / "link.png");
  write_png(folder / "link.png", ramp());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.png"));
  EXPECT_EQ(read_picture(folder / "real.png").width(), 16U);
}

TEST(png_writing, through_a_link_that_leads_nowhere_yet_the_linked_file_is_made) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/real.png", folder / "link.png");
  std::filesystem::create_symlink("link.png", folder / "second.png");
  write_png(folder / "second.png", ramp());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.png"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second.png"));
  EXPECT_EQ(read_picture(folder / "sub" / "real.png").width(), 16U);
  std::filesystem::create_symlink("nowhere/real.png", folder / "lost.png");
  EXPECT_THAT(failure([&] { write_png(folder / "lost.png", ramp()); }),
              HasSubstr("No such file or directory"));
  std::filesystem::create_symlink("loop.png", folder / "loop.png");
  EXPECT_THAT(failure([&] { write_png(folder / "loop.png", ramp()); }),
              HasSubstr("Too many levels of symbolic links"));
}

TEST(png_writing, other_names_of_a_file_keep_the_old_content) {
  const scratch_folder folder;
  put_file(folder / "out.png", text_bytes("old"));
  std::filesystem::create_hard_link(folder / "out.png", folder / "twin");
  write_png(folder / "out.png", ramp());
  EXPECT_EQ(read_picture(folder / "out.png").width(), 16U);
  EXPECT_EQ(file_bytes(folder / "twin"), text_bytes("old"));
}

TEST(png_writing, a_relative_name_is_one_of_the_current_folder) {
  const scratch_folder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_png("out.png", ramp());
  write_png("out.png", ramp());
  std::filesystem::current_path(before);
  EXPECT_THAT(folder.names(), ElementsAre("out.png"));
}

TEST(png_writing, a_write_check_changes_nothing) {
  const scratch_folder folder;
  require_writable(folder / "new.png");
  EXPECT_THAT(folder.names(), IsEmpty());
  put_file(folder / "old.png", text_bytes("old"));
  require_writable(folder / "old.png");
  EXPECT_EQ(file_bytes(folder / "old.png"), text_bytes("old"));
  EXPECT_THAT(folder.names(), ElementsAre("old.png"));
}

TEST(png_writing, bad_targets_are_found_by_the_check_and_by_the_write) {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "sub");
  put_file(folder / "file", text_bytes("x"));
  const std::vector<std::pair<std::filesystem::path, std::string>> cases = {
      {folder / "missing/out.png", "No such file or directory"},
      {folder / "file/out.png", "Not a directory"},
      {folder / "sub", "Is a directory"},
      {folder / "sub/", "Is a directory"},
      {"/dev/null", "not a regular file"},
      {"/proc/out.png", "cannot write"},
      {"", "the name is empty"},
  };
  for (const auto& one : cases) {
    const auto& path = one.first;
    const auto& why = one.second;
    EXPECT_THAT(failure([&] { require_writable(path); }), HasSubstr(why)) << path;
    EXPECT_THAT(failure([&] { write_png(path, ramp()); }), HasSubstr(why)) << path;
    EXPECT_THAT(failure([&] { require_writable(path); }), StartsWith(path.string()));
  }
}

/// Root may write anywhere: for a while, be somebody who may not.
class as_nobody {
 public:
  as_nobody() { EXPECT_EQ(before_ == 0 ? ::seteuid(nobody) : 0, 0); }
  as_nobody(const as_nobody&) = delete;
  as_nobody& operator=(const as_nobody&) = delete;
  ~as_nobody() { EXPECT_EQ(before_ == 0 ? ::seteuid(0) : 0, 0); }

  static constexpr uid_t nobody = 65534;

 private:
  uid_t before_ = ::geteuid();
};

TEST(png_writing, protected_files_and_folders_are_refused) {
  const scratch_folder folder;
  put_file(folder / "out.png", text_bytes("old"));
  ASSERT_EQ(::chmod((folder / "out.png").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  {
    const as_nobody nobody;
    EXPECT_EQ(failure([&] { require_writable(folder / "new.png"); }), "no failure");
    EXPECT_THAT(failure([&] { require_writable(folder / "out.png"); }),
                HasSubstr("Permission denied"));
    EXPECT_THAT(failure([&] { write_png(folder / "out.png", ramp()); }),
                HasSubstr("Permission denied"));
  }
  EXPECT_EQ(file_bytes(folder / "out.png"), text_bytes("old"));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  {
    const as_nobody nobody;
    EXPECT_THAT(failure([&] { require_writable(folder / "new.png"); }),
                HasSubstr("Permission denied"));
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
}

}  // namespace
}  // namespace evencube::workloads::testing
