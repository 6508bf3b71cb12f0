// Files that are no good pictures are refused with the file's name and the reason, whatever is
// wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/workloads/image_file.hpp>

#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const bytes& file) {
  try {
    static_cast<void>(decode_picture(file, "photo"));
  } catch (const image_error& problem) {
    return problem.what();
  }
  return "accepted";
}

std::string refusal(const std::string& file) { return refusal(text_bytes(file)); }

bytes good_png(bool interlaced = false) {
  return make_png(
      {40, 30, 8, PNG_COLOR_TYPE_GRAY, std::vector<bytes>(30, bytes(40, 99)), interlaced});
}

/// A PNG whose header claims another size; the checksum no longer fits, which must not matter.
bytes png_that_claims(std::uint32_t width, std::uint32_t height) {
  auto file = good_png();
  for (unsigned byte = 0; byte < 4; ++byte) {
    file[16 + byte] = static_cast<std::uint8_t>(width >> (24 - 8 * byte));
    file[20 + byte] = static_cast<std::uint8_t>(height >> (24 - 8 * byte));
  }
  return file;
}

TEST(picture_refusal, every_shortened_png) {
  for (const bool interlaced : {false, true}) {
    const auto file = good_png(interlaced);
    ASSERT_EQ(refusal(file), "accepted");
    for (std::size_t length = 8; length < file.size(); ++length) {
      const auto why = refusal(bytes(file.begin(), file.begin() + static_cast<long>(length)));
      EXPECT_THAT(why, AllOf(StartsWith("photo: damaged PNG: "), HasSubstr("early")))
          << "cut to " << length;
    }
  }
}

TEST(picture_refusal, a_png_with_a_flipped_bit) {
  const auto file = good_png();
  // The checksum of the last chunk, which holds nothing, is not looked at by newer libraries.
  const std::size_t checksum = 4;
  for (std::size_t at = 8; at + checksum < file.size(); ++at) {
    auto damaged = file;
    damaged[at] ^= 0x10;
    EXPECT_THAT(refusal(damaged), StartsWith("photo: ")) << "byte " << at;
  }
}

TEST(picture_refusal, pictures_without_pixels) {
  EXPECT_THAT(refusal(png_that_claims(0, 0)), HasSubstr("0 x 0 pixels"));
  EXPECT_THAT(refusal(png_that_claims(0, 5)), HasSubstr("0 x 5 pixels"));
  EXPECT_THAT(refusal(png_that_claims(5, 0)), HasSubstr("5 x 0 pixels"));
  EXPECT_THAT(refusal("P5 0 0 255\n"), HasSubstr("0 x 0 pixels"));
}

TEST(picture_refusal, pictures_that_are_too_large) {
  EXPECT_THAT(refusal(png_that_claims(40000, 2)), HasSubstr("at most 32768"));
  EXPECT_THAT(refusal(png_that_claims(0x7fffffff, 0x7fffffff)), HasSubstr("at most 32768"));
  EXPECT_THAT(refusal(png_that_claims(0xffffffff, 0xffffffff)), HasSubstr("at most 32768"));
  EXPECT_THAT(refusal(png_that_claims(32768, 32768)), HasSubstr("at most 268435456"));
  EXPECT_THAT(refusal("P5 65536 65536 255\n"), HasSubstr("at most 32768"));
  EXPECT_THAT(refusal("P5 4294967296 1 255\n"), HasSubstr("too large"));
  EXPECT_THAT(refusal("P5 99999999999999999999999999 1 255\n"), HasSubstr("too large"));
}

TEST(picture_refusal, a_small_file_that_promises_many_pixels_is_not_believed) {
  EXPECT_THAT(refusal("P2 16384 16384 255 1 2 3"), HasSubstr("ends before the last pixel"));
  EXPECT_THAT(refusal("P6 16384 16384 65535 1 2 3"), HasSubstr("ends before the last pixel"));
}

TEST(picture_refusal, files_of_another_kind) {
  EXPECT_THAT(refusal("hello, world"),
              AllOf(StartsWith("photo: not a PNG, PGM or PPM"), HasSubstr("\"hello, w\"")));
  EXPECT_THAT(refusal("P1 1 1 0"), HasSubstr("not a PNG"));
  EXPECT_THAT(refusal("P56 1 1 255 "), HasSubstr("not a PNG"));
  EXPECT_THAT(refusal(bytes{0x89, 'P', 'N', 'G'}), HasSubstr("\".PNG\""));
  EXPECT_THAT(refusal(bytes{0xff, 0xd8, 0xff, 0xe0}), HasSubstr("not a PNG"));
  EXPECT_THAT(refusal(bytes{}), HasSubstr("the file is empty"));
}

TEST(picture_refusal, damaged_pgm_and_ppm) {
  EXPECT_THAT(refusal("P5 "), HasSubstr("ends before the width"));
  EXPECT_THAT(refusal("P5 x 2 255\n"), HasSubstr("the width is not a number"));
  EXPECT_THAT(refusal("P5 -1 2 255\n"), HasSubstr("the width is not a number"));
  EXPECT_THAT(refusal("P5 2"), HasSubstr("ends before the height"));
  EXPECT_THAT(refusal("P5 2 2"), HasSubstr("ends before the maximum value"));
  EXPECT_THAT(refusal("P5 2 2 0\n"), HasSubstr("not 1 to 65535"));
  EXPECT_THAT(refusal("P5 2 2 65536\n"), HasSubstr("not 1 to 65535"));
  EXPECT_THAT(refusal("P5 2 2 255"), HasSubstr("ends before the pixels"));
  EXPECT_THAT(refusal("P5 2 2 255\nabc"), HasSubstr("ends before the last pixel"));
  EXPECT_THAT(refusal("P2 2 2 255 1 2 3     "), HasSubstr("ends before the last pixel"));
  EXPECT_THAT(refusal("P2 1 1 9 10"), HasSubstr("a sample of 10 is above"));
  EXPECT_THAT(refusal("P2 1 1 9 x"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("P2 2 1 9 1.5 2"), HasSubstr("the last pixel is not a whole number"));
  EXPECT_THAT(refusal("P2 2.0 1 9 1 2"), HasSubstr("the width is not a whole number"));
  EXPECT_THAT(refusal("P5 1 1 9\n\xff"), HasSubstr("a sample of 255 is above"));
}

TEST(picture_refusal, files_that_cannot_be_read) {
  const scratch_folder folder;
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      static_cast<void>(read_picture(path));
    } catch (const image_error& problem) {
      return problem.what();
    }
    return "accepted";
  };
  const auto missing = folder / "missing.png";
  EXPECT_EQ(message(missing), missing.string() + ": cannot read: No such file or directory");
  EXPECT_THAT(message(folder.path()), HasSubstr("it is a folder"));
  EXPECT_THAT(message("/dev/zero"), HasSubstr("not a PNG"));
  put_file(folder / "good.png", good_png());
  EXPECT_EQ(message(folder / "good.png"), "accepted");
}

}  // namespace
}  // namespace evencube::workloads::testing
