#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::simulator {
namespace {

using words = std::array<std::uint32_t, 4>;

// The known answers published with the algorithm (Random123, kat_vectors, philox4x32 10).
TEST(random_reference, philox_known_answers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, {0xFFFFFFFF, 0xFFFFFFFF}),
            (words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(random_reference, uniforms_fill_the_unit_interval_evenly) {
  const random_source source(11);
  const int cells = 64;
  const int draws = 64'000;
  std::vector<int> hits(cells, 0);
  for (int i = 0; i < draws / 2; ++i) {
    const auto u = source.uniforms(random_purpose::sampling, 5, static_cast<std::uint64_t>(i));
    for (const double x : {u.first, u.second}) {
      ASSERT_GT(x, 0);
      ASSERT_LT(x, 1);
      ++hits[static_cast<std::size_t>(x * cells)];
    }
  }
  double chi_squared = 0;
  for (const int h : hits) {
    const double expected = static_cast<double>(draws) / cells;
    chi_squared += (h - expected) * (h - expected) / expected;
  }
  EXPECT_LT(chi_squared, 103.4);  // 0.999 quantile for 63 degrees of freedom
}

TEST(random_reference, streams_and_purposes_differ) {
  const random_source source(11);
  const auto base = source.bits(random_purpose::arrival, 1, 1);
  EXPECT_NE(base, source.bits(random_purpose::arrival, 2, 1));
  EXPECT_NE(base, source.bits(random_purpose::arrival, 1, 2));
  EXPECT_NE(base, source.bits(random_purpose::thinning, 1, 1));
  EXPECT_NE(base, random_source(12).bits(random_purpose::arrival, 1, 1));
  EXPECT_EQ(base, random_source(11).bits(random_purpose::arrival, 1, 1));
}

TEST(portable_math, logarithm_agrees_with_the_library) {
  for (double x = 1e-17; x < 1e17; x *= 1.0007) {
    const double tolerance = 4e-16 * std::max(1.0, std::abs(std::log(x)));
    ASSERT_NEAR(portable_log(x), std::log(x), tolerance) << x;
  }
  EXPECT_EQ(portable_log(1.0), 0.0);
}

TEST(portable_math, exponential_agrees_with_the_library) {
  for (double x = -600; x < 600; x += 0.0137) {
    ASSERT_NEAR(portable_exp(x) / std::exp(x), 1, 5e-16) << x;
  }
  EXPECT_EQ(portable_exp(0.0), 1.0);
  EXPECT_EQ(portable_exp(-1000.0), 0.0);
}

}  // namespace
}  // namespace evencube::simulator
