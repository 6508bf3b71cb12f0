// The perturbed iteration against the plain one with as many digits as it takes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include <evencube/workloads/fixed_point.hpp>
#include <evencube/workloads/mandelbrot.hpp>

namespace evencube::workloads {
namespace {

using ::testing::HasSubstr;

/// What escape() gives, by the definition: every pixel iterated with all its digits.
float defined_escape(const mandelbrot_view& view, std::uint32_t x, std::uint32_t y) {
  constexpr std::size_t words = 40;
  // The distance from the centre in units of step / 2, as a decimal.
  const auto offset = [&](int halves) {
    fixed_point step{"2", words};  // 4 / zoom / side / 2, for powers of two and ten
    const fixed_point tenth{"0.1", words};
    const fixed_point half{"0.5", words};
    for (auto n = std::lround(std::log10(view.zoom)); n > 0; --n) step = step * tenth;
    for (std::uint32_t side = view.side; side > 1; side /= 2) step = step * half;
    const fixed_point times{std::to_string(halves), words};
    return step * times;
  };
  const auto side = static_cast<int>(view.side);
  const fixed_point real =
      fixed_point{view.real, words} + offset(2 * static_cast<int>(x) - side + 1);
  const fixed_point imaginary =
      fixed_point{view.imaginary, words} + offset(side - 1 - 2 * static_cast<int>(y));
  fixed_point a{words};
  fixed_point b{words};
  for (std::uint32_t n = 0; n < view.limit; ++n) {
    const fixed_point next = a * a - b * b + real;
    b = (a * b).doubled() + imaginary;
    a = next;
    const double size = std::pow(a.to_double(), 2) + std::pow(b.to_double(), 2);
    if (size > 65536) return static_cast<float>(n + 1 - std::log2(std::log2(size) / 2));
  }
  return -1;
}

struct place {
  std::string name;
  mandelbrot_view view;
};

const std::string horse_real = "-0.743643887037158704752191506114774";
const std::string horse_imaginary = "0.131825904205311970493132056385139";

class places : public ::testing::TestWithParam<place> {};

TEST_P(places, escape_as_defined) {
  const auto& view = GetParam().view;
  const mandelbrot_plane plane{view};
  int escaped = 0;
  for (std::uint32_t y = 1; y < view.side; y += 5) {
    for (std::uint32_t x = 0; x < view.side; x += 5) {
      const float expected = defined_escape(view, x, y);
      ASSERT_NEAR(plane.escape(x, y), expected, 1e-3 + 1e-4 * std::abs(expected)) << x << ", " << y;
      escaped += expected >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(escaped, 0);
}

INSTANTIATE_TEST_SUITE_P(depths, places,
                         ::testing::Values(place{"whole", {"-0.5", "0", 1, 32, 200}},
                                           place{"centre_that_escapes", {"0.6", "0.4", 1, 32, 200}},
                                           place{"horses",
                                                 {horse_real, horse_imaginary, 1e4, 32, 1500}},
                                           place{"deeper_than_doubles", {"0", "1", 1e20, 32, 900}},
                                           place{"lightning_at_i", {"0", "1", 1e100, 32, 900}},
                                           place{"deepest", {"0", "1", 1e280, 32, 2000}}),
                         [](const auto& instance) { return instance.param.name; });

TEST(mandelbrot, tells_the_iterations) {
  const mandelbrot_plane plane{{"-0.5", "0", 1, 64, 300}};
  std::uint64_t work = 0;
  EXPECT_LT(plane.escape(32, 32, &work), 0);
  EXPECT_EQ(work, 300U);
  EXPECT_GE(plane.escape(0, 0, &work), 0);
  EXPECT_LT(work, 310U);
}

TEST(mandelbrot, refuses_other_centres_and_depths) {
  const auto refusal = [](const mandelbrot_view& view) -> std::string {
    try {
      const mandelbrot_plane plane{view};
    } catch (const std::invalid_argument& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({"x", "0", 1, 32, 10}), HasSubstr("--real \"x\""));
  EXPECT_THAT(refusal({"0", "1e-3", 1, 32, 10}), HasSubstr("--imaginary \"1e-3\""));
  EXPECT_THAT(refusal({"5", "0", 1, 32, 10}), HasSubstr("within -4 .. 4"));
  EXPECT_THAT(refusal({"0", "0", 1e281, 32, 10}), HasSubstr("1e280"));
  EXPECT_THAT(refusal({"0", "0", std::nan(""), 32, 10}), HasSubstr("1e280"));
  EXPECT_THAT(refusal({"0", "0", 1, 0, 10}), HasSubstr("pixels"));
  EXPECT_EQ(refusal({"0", "0", 1e280, 32, 10}), "");
}

TEST(mandelbrot, colours_are_black_in_the_set_and_change_gently_outside) {
  EXPECT_EQ(escape_colour(-1, 0), (rgb8{0, 0, 0}));
  for (float at = 0; at < 3000; at += 0.05F) {
    const auto here = escape_colour(at, 0);
    const auto next = escape_colour(at + 0.05F, 0);
    EXPECT_LE(std::abs(here.red - next.red), 30) << at;
    EXPECT_LE(std::abs(here.blue - next.blue), 30) << at;
  }
}

}  // namespace
}  // namespace evencube::workloads
