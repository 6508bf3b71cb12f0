/// How numbers are read: decimals for what they say, doubles for the simplest that they stand for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/fraction.hpp>

#include "support.hpp"

namespace evencube {
namespace {

TEST(decimals, say_what_they_say) {
  EXPECT_EQ(parse_decimal("0.1"), (fraction{1, 10}));
  EXPECT_EQ(parse_decimal("0.5"), (fraction{1, 2}));
  EXPECT_EQ(parse_decimal(".25"), (fraction{1, 4}));
  EXPECT_EQ(parse_decimal("3"), (fraction{3, 1}));
  EXPECT_EQ(parse_decimal("3."), (fraction{3, 1}));
  EXPECT_EQ(parse_decimal("0"), (fraction{0, 1}));
  EXPECT_EQ(parse_decimal("000.500000000000000000000000"), (fraction{1, 2}));
  EXPECT_EQ(parse_decimal("2.5e-3"), (fraction{1, 400}));
  EXPECT_EQ(parse_decimal("2.5E+1"), (fraction{25, 1}));
  EXPECT_EQ(parse_decimal("10e-18"), (fraction{1, 100'000'000'000'000'000}));
  EXPECT_EQ(parse_decimal("0.123456789012345678"),
            (fraction{61'728'394'506'172'839, 500'000'000'000'000'000}));
}

TEST(decimals, refuse_the_rest) {
  for (const char* bad : {"",
                          ".",
                          "-1",
                          "+1",
                          "1e",
                          "e1",
                          "1e+",
                          "1e+-2",
                          "0x1",
                          "1.2.3",
                          " 1",
                          "1 ",
                          "nan",
                          "inf",
                          "1,5",
                          "0.1234567890123456789",
                          "1e-19",
                          "1e19",
                          "9223372036854775808",
                          "1e99999999999"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
}

TEST(decimals, as_options_are_exact_and_bounded) {
  const balancer_options options{{"portion", "0.3"}};
  EXPECT_EQ(fraction_option(options, "portion", {}, {1, 2}), (fraction{3, 10}));
  EXPECT_EQ(
      testing::refusal([&] { static_cast<void>(fraction_option(options, "portion", {}, {1, 4})); }),
      "option portion is \"0.3\", allowed are decimals from 0 to 1/4 with at most 18 places "
      "after the point");
}

TEST(doubles, stand_for_the_simplest_fraction) {
  EXPECT_EQ(fraction_of(0.1), (fraction{1, 10}));
  EXPECT_EQ(fraction_of(1.0 / 3), (fraction{1, 3}));
  EXPECT_EQ(fraction_of(0.0), (fraction{0, 1}));
  EXPECT_EQ(fraction_of(1.0), (fraction{1, 1}));
  for (std::uint64_t below = 1; below <= 2000; ++below) {
    for (std::uint64_t above = 0; above <= below; above += 1 + below / 7) {
      const double value = static_cast<double>(above) / static_cast<double>(below);
      EXPECT_EQ(fraction_of(value), make_fraction(above, below));
    }
  }
  // No small denominator rounds to this one: it is what it prints as.
  EXPECT_EQ(fraction_of(0.123456789), (fraction{123456789, 1'000'000'000}));
}

TEST(parts, of_loads_are_exact) {
  constexpr load_type most = std::numeric_limits<load_type>::max();
  EXPECT_EQ(floor_part(most, {1, 3}), most / 3);
  EXPECT_EQ(ceiling_part(most, {1, 2}), most / 2 + 1);
  EXPECT_EQ(floor_part(most, {1, 1}), most);
  // 10 * 0.1 is 1; the double next to 0.1 makes it a little more.
  EXPECT_EQ(ceiling_part(10, *parse_decimal("0.1")), 1);
  EXPECT_EQ(floor_part(3, {1, 3}), 1);
}

TEST(optimal_fraction, is_the_weight_that_the_spectrum_names) {
  for (unsigned d = 1; d <= 20; ++d) {
    EXPECT_EQ(optimal_fraction(topology::hypercube(d)), (fraction{1, d + 1}));
  }
  EXPECT_EQ(optimal_fraction(topology::ring(4)), (fraction{1, 3}));
  EXPECT_EQ(optimal_fraction(topology::ring(5)), (fraction{2, 5}));
  EXPECT_EQ(optimal_fraction(topology::mesh(4, 4)), (fraction{1, 4}));
  EXPECT_EQ(optimal_fraction(topology::parse("fibonacci-composite:16")), (fraction{1, 6}));
  EXPECT_EQ(optimal_fraction(topology::linear(1)), (fraction{0, 1}));
  for (const char* network : {"ring:16", "torus:5x7", "cube:11", "fibonacci:8", "star:9"}) {
    const auto graph = topology::parse(network);
    const fraction found = optimal_fraction(graph);
    EXPECT_NEAR(static_cast<double>(found.numerator) / static_cast<double>(found.denominator),
                optimal_weight(graph), 2e-12);
    EXPECT_FALSE(less(fraction{1, graph.max_degree()}, found)) << network;
  }
}

// Parts that no double meets, in plans of one step.
TEST(exact_parts, a_third_of_three_moves_one) {
  using testing::balanced;
  EXPECT_EQ(balanced("diffusion", topology::hypercube(2), {4, 1, 1, 1}, {{"iterations", "1"}}),
            (testing::loads_type{2, 2, 2, 1}));
  testing::loads_type loads(32, 0);
  loads[0] = 6;
  const auto after = balanced("diffusion", topology::hypercube(5), loads, {{"iterations", "1"}});
  EXPECT_EQ(after[0], 1);
  EXPECT_EQ(after[16], 1);
}

}  // namespace
}  // namespace evencube
