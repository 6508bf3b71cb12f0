// Every kind of PNG must be decoded to the luminance that its samples define.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include <evencube/workloads/image_file.hpp>

#include "test_images.hpp"

namespace evencube::workloads::testing {
namespace {

constexpr std::uint32_t width = 21;  // crosses byte borders at 1, 2 and 4 bits
constexpr std::uint32_t height = 13;

std::uint32_t noise(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
  std::uint32_t value = x * 2654435761U + y * 40503U + channel * 2246822519U;
  value ^= value >> 15;
  value *= 2654435761U;
  return value ^ (value >> 13);
}

/// The definition, in floating point and without the decoder's own helpers.
double expected_luminance(const std::vector<double>& channels, bool colour, bool alpha) {
  const double grey =
      colour ? 0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2] : channels[0];
  const double opacity = alpha ? channels.back() : 1.0;
  return 65535.0 * (grey * opacity + 1.0 - opacity);
}

struct kind {
  std::string name;
  int bits;
  int colour;
  unsigned channels;

  friend void PrintTo(const kind& one, std::ostream* out) { *out << one.name; }
};

class png_kinds : public ::testing::TestWithParam<std::tuple<kind, bool>> {};

TEST_P(png_kinds, luminance_is_that_of_the_samples) {
  const auto& [format, interlaced] = GetParam();
  const std::uint32_t maximum = (1U << format.bits) - 1;
  const bool is_palette = format.colour == PNG_COLOR_TYPE_PALETTE;
  png_recipe recipe{width, height, format.bits, format.colour, {}, interlaced};
  if (is_palette) {
    for (std::uint32_t entry = 0; entry <= maximum; ++entry) {
      recipe.palette.push_back({static_cast<png_byte>(noise(entry, 7, 0)),
                                static_cast<png_byte>(noise(entry, 7, 1)),
                                static_cast<png_byte>(noise(entry, 7, 2))});
    }
  }
  for (std::uint32_t y = 0; y < height; ++y) {
    bytes row((std::size_t{width} * format.channels * static_cast<unsigned>(format.bits) + 7) / 8);
    for (std::uint32_t at = 0; at < width * format.channels; ++at) {
      const auto value = noise(at / format.channels, y, at % format.channels) & maximum;
      const auto bit = std::size_t{at} * static_cast<unsigned>(format.bits);
      if (format.bits == 16) {
        row[bit / 8] = static_cast<std::uint8_t>(value >> 8);
        row[bit / 8 + 1] = static_cast<std::uint8_t>(value);
      } else {
        const auto shift = 8 - static_cast<unsigned>(format.bits) - bit % 8;
        row[bit / 8] = static_cast<std::uint8_t>(row[bit / 8] | (value << shift));
      }
    }
    recipe.rows.push_back(row);
  }

  const auto picture = decode_picture(make_png(recipe), "test");

  ASSERT_EQ(picture.width(), width);
  ASSERT_EQ(picture.height(), height);
  const bool colour = is_palette || (format.colour & PNG_COLOR_MASK_COLOR) != 0;
  const bool alpha = (format.colour & PNG_COLOR_MASK_ALPHA) != 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      std::vector<double> channels;
      for (std::uint32_t channel = 0; channel < format.channels; ++channel) {
        channels.push_back((noise(x, y, channel) & maximum) / static_cast<double>(maximum));
      }
      if (is_palette) {
        const auto& entry = recipe.palette[noise(x, y, 0) & maximum];
        channels = {entry.red / 255.0, entry.green / 255.0, entry.blue / 255.0};
      }
      // One step for the fixed-point weights, one for each rounding.
      EXPECT_NEAR(picture.row(y)[x], expected_luminance(channels, colour, alpha), 2.0)
          << "at " << x << ", " << y;
      if (!colour && !alpha) {
        EXPECT_EQ(picture.row(y)[x], std::lround(65535.0 * channels[0]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, png_kinds,
    ::testing::Combine(::testing::Values(kind{"grey_1", 1, PNG_COLOR_TYPE_GRAY, 1},
                                         kind{"grey_2", 2, PNG_COLOR_TYPE_GRAY, 1},
                                         kind{"grey_4", 4, PNG_COLOR_TYPE_GRAY, 1},
                                         kind{"grey_8", 8, PNG_COLOR_TYPE_GRAY, 1},
                                         kind{"grey_16", 16, PNG_COLOR_TYPE_GRAY, 1},
                                         kind{"grey_alpha_8", 8, PNG_COLOR_TYPE_GRAY_ALPHA, 2},
                                         kind{"grey_alpha_16", 16, PNG_COLOR_TYPE_GRAY_ALPHA, 2},
                                         kind{"rgb_8", 8, PNG_COLOR_TYPE_RGB, 3},
                                         kind{"rgb_16", 16, PNG_COLOR_TYPE_RGB, 3},
                                         kind{"rgba_8", 8, PNG_COLOR_TYPE_RGBA, 4},
                                         kind{"rgba_16", 16, PNG_COLOR_TYPE_RGBA, 4},
                                         kind{"palette_1", 1, PNG_COLOR_TYPE_PALETTE, 1},
                                         kind{"palette_2", 2, PNG_COLOR_TYPE_PALETTE, 1},
                                         kind{"palette_4", 4, PNG_COLOR_TYPE_PALETTE, 1},
                                         kind{"palette_8", 8, PNG_COLOR_TYPE_PALETTE, 1}),
                       ::testing::Bool()),
    [](const auto& instance) {
      return std::get<0>(instance.param).name +
             (std::get<1>(instance.param) ? "_interlaced" : "_plain");
    });

TEST(png_transparency, palette_entries_lie_on_white) {
  png_recipe recipe{3, 1, 8, PNG_COLOR_TYPE_PALETTE, {{0, 1, 2}}};
  recipe.palette = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  recipe.palette_alpha = {0, 255, 51};
  const auto picture = decode_picture(make_png(recipe), "test");
  EXPECT_EQ(picture.row(0)[0], 65535);
  EXPECT_EQ(picture.row(0)[1], 0);
  EXPECT_EQ(picture.row(0)[2], 65535 - 51 * 257);
}

TEST(png_transparency, a_transparent_grey_value_lies_on_white) {
  png_recipe recipe{3, 1, 8, PNG_COLOR_TYPE_GRAY, {{10, 11, 12}}};
  recipe.transparent_grey = 11;
  const auto picture = decode_picture(make_png(recipe), "test");
  EXPECT_EQ(picture.row(0)[0], 10 * 257);
  EXPECT_EQ(picture.row(0)[1], 65535);
  EXPECT_EQ(picture.row(0)[2], 12 * 257);
}

TEST(png_colour, equal_channels_are_grey_exactly) {
  bytes row;
  for (int value = 0; value < 256; ++value) {
    row.insert(row.end(), 3, static_cast<std::uint8_t>(value));
  }
  const auto picture = decode_picture(make_png({256, 1, 8, PNG_COLOR_TYPE_RGB, {row}}), "test");
  for (std::uint32_t value = 0; value < 256; ++value) {
    EXPECT_EQ(picture.row(0)[value], value * 257);
  }
}

}  // namespace
}  // namespace evencube::workloads::testing
