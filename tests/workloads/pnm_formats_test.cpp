// PGM and PPM, plain and raw, with comments and odd maximum values.

#include <gtest/gtest.h>

#include <evencube/workloads/image_file.hpp>

#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

std::vector<std::uint16_t> decode(const bytes& file) {
  const auto picture = decode_picture(file, "test");
  return {picture.samples().begin(), picture.samples().end()};
}

using greys = std::vector<std::uint16_t>;

TEST(pnm_formats, plain_grey) {
  EXPECT_EQ(decode(text_bytes("P2\n3 2\n255\n0 1 2\n253 254 255\n")),
            (greys{0, 257, 514, 253 * 257, 254 * 257, 65535}));
}

TEST(pnm_formats, comments_stand_anywhere_in_the_header) {
  EXPECT_EQ(decode(text_bytes("P2# a\n#b\n 2 # c\n1\n# d 7\n255 8 9")), (greys{8 * 257, 9 * 257}));
}

TEST(pnm_formats, plain_colour) {
  EXPECT_EQ(decode(text_bytes("P3 3 1 255  255 0 0  0 255 0  0 0 255")),
            (greys{19595, 38469, 7471}));
}

TEST(pnm_formats, raw_grey) {
  auto file = text_bytes("P5 2 2 255\n");
  file.insert(file.end(), {0, 10, 200, 255});
  EXPECT_EQ(decode(file), (greys{0, 2570, 51400, 65535}));
}

TEST(pnm_formats, raw_grey_of_two_bytes_is_big_endian) {
  auto file = text_bytes("P5 2 1 65535\n");
  file.insert(file.end(), {0x12, 0x34, 0xff, 0xff});
  EXPECT_EQ(decode(file), (greys{0x1234, 0xffff}));
}

TEST(pnm_formats, raw_colour_of_one_and_two_bytes) {
  auto narrow = text_bytes("P6 1 1 255\n");
  narrow.insert(narrow.end(), {77, 77, 77});
  EXPECT_EQ(decode(narrow), (greys{77 * 257}));
  auto wide = text_bytes("P6 1 1 65535\n");
  wide.insert(wide.end(), {1, 2, 1, 2, 1, 2});
  EXPECT_EQ(decode(wide), (greys{0x0102}));
}

TEST(pnm_formats, odd_maximum_values_are_widened_to_the_nearest) {
  EXPECT_EQ(decode(text_bytes("P2 4 1 3 0 1 2 3")), (greys{0, 21845, 43690, 65535}));
  EXPECT_EQ(decode(text_bytes("P2 2 1 1000 1 999")), (greys{66, 65469}));
}

TEST(pnm_formats, white_space_in_the_pixels_is_not_skipped) {
  auto file = text_bytes("P5 2 1 255\n");
  file.insert(file.end(), {'\n', ' '});
  EXPECT_EQ(decode(file), (greys{10 * 257, 32 * 257}));
}

}  // namespace
}  // namespace evencube::workloads::testing
