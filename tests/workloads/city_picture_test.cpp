// The generated picture: the same everywhere, and with its edges in one corner.

#include <gtest/gtest.h>

#include <evencube/workloads/city_picture.hpp>
#include <evencube/workloads/sobel.hpp>

namespace evencube::workloads {
namespace {

/// FNV-1a over the samples.
std::uint64_t fingerprint(const grey16& picture) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto sample : picture.samples()) {
    hash = (hash ^ sample) * 0x100000001b3U;
  }
  return hash;
}

TEST(city_picture, is_the_same_on_every_machine) {
  EXPECT_EQ(fingerprint(make_city_picture(640, 480, 1)), 9207330664495415002U);
  EXPECT_NE(fingerprint(make_city_picture(640, 480, 2)), 9207330664495415002U);
}

TEST(city_picture, has_its_edges_in_the_lower_right_quarter) {
  const auto picture = make_city_picture(1024, 1024, 1);
  grey8 edges{1024, 1024};
  const auto inside = sobel_tile(picture, {512, 512, 1024, 1024}, 128, edges);
  std::uint32_t outside = sobel_tile(picture, {0, 0, 1024, 512}, 128, edges);
  outside += sobel_tile(picture, {0, 512, 511, 1024}, 128, edges);
  EXPECT_GT(inside, 512U * 512U / 5);
  EXPECT_EQ(outside, 0U);
}

TEST(city_picture, can_have_any_size) {
  for (const std::uint32_t side : {1U, 2U, 3U, 7U, 100U}) {
    EXPECT_EQ(make_city_picture(side, 1, 1).width(), side);
    EXPECT_EQ(make_city_picture(1, side, 1).height(), side);
  }
  EXPECT_THROW(static_cast<void>(make_city_picture(0, 5, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::workloads
