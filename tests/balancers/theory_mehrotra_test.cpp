#include <gtest/gtest.h>

#include <cmath>

#include <evencube/balancers/theory.hpp>

namespace evencube::theory {
namespace {

TEST(mehrotra, largest_of_n) {
  EXPECT_NEAR(maximum_percentile(16, 0.95), 3.6161, 5e-5);
  EXPECT_NEAR(maximum_percentile(64, 0.95), 3.9139, 5e-5);
  const double a = std::sqrt(2 * std::log(16.0));
  EXPECT_NEAR(maximum_mean(16, 10.0, 2.0), 10.0 + 2.0 * (a + 0.5772 / a), 1e-4);
  EXPECT_NEAR(maximum_variance(16, 1.0), M_PI * M_PI / (12 * std::log(16.0)), 1e-12);
}

TEST(mehrotra, prefix_sums) {
  EXPECT_DOUBLE_EQ(prefix_variance(8, 16, 1.0), 4.0);    // 4 sigma is two deviations
  EXPECT_DOUBLE_EQ(prefix_variance(32, 64, 1.0), 16.0);  // so is 8 sigma
  EXPECT_DOUBLE_EQ(prefix_variance(16, 16, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(prefix_correlation(4, 8, 16), std::sqrt(4.0 * 8 / (8.0 * 12)));
  EXPECT_DOUBLE_EQ(prefix_correlation(5, 5, 16), 1.0);
}

TEST(mehrotra, longest_shift) {
  EXPECT_NEAR(shift_percentile(16, 1.0, 0.95), 4.8955, 5e-5);
  EXPECT_NEAR(shift_percentile(64, 1.0, 0.95), 9.7910, 5e-5);
  EXPECT_NEAR(bridge_supremum_mean(), 0.6267, 5e-5);
  // The mean again, from the distribution: the integral of 1 - P.
  double mean = 0.0;
  for (int i = 0; i < 100000; ++i) mean += (1 - bridge_supremum_probability(i * 1e-4)) * 1e-4;
  EXPECT_NEAR(mean, bridge_supremum_mean(), 1e-4);
  EXPECT_NEAR(bridge_range_probability(1.358), 0.95, 5e-4);  // the Kolmogorov percentile
  EXPECT_EQ(bridge_range_probability(0.01), 0.0);
}

TEST(mehrotra, short_shifts) {
  for (const unsigned n : {4U, 64U, 4096U}) {
    for (const double k : {1.0, 2.0}) {
      const double mu = mean_for_short_shift(n, 3.0, k);
      EXPECT_NEAR(shift_probability(1.0, n, mu, 3.0), std::pow(n, -k), 1e-12);
    }
  }
}

TEST(mehrotra, conditional_loop_on_the_cm5) {
  // M = 4096, n = 256, p = .5: mu 2048, sigma 32, lambda .25.
  const auto one_way = expected_shift_cost(256, 2048, 32);
  EXPECT_NEAR(2 * one_way.startups, 2.312, 1.1e-3);  // printed cut off, not rounded
  EXPECT_NEAR(2 * one_way.items, 720, 0.5);
  const auto pays = worthwhile_cost(256, 4096, 0.5);
  EXPECT_NEAR(pays.startups, 0.0217, 5e-5);
  EXPECT_NEAR(pays.items, 6.756, 5e-3);
  constexpr double tau = 140e-6;
  constexpr double phi = 0.5e-6;
  EXPECT_NEAR(pays.startups * tau + pays.items * phi, 6.416e-6, 0.005e-6);
  // The paper goes on with .022: 6.458 microseconds, 32 instructions at 5 MFlops.
  const double rounded = std::round(pays.startups * 1000) / 1000;
  EXPECT_NEAR(rounded * tau + pays.items * phi, 6.458e-6, 0.003e-6);
  // With the second moment as it should be.
  const auto exact = worthwhile_cost(256, 4096, 0.5, false);
  EXPECT_NEAR(exact.startups * tau + exact.items * phi, 6.65e-6, 0.02e-6);
}

TEST(mehrotra, ranges_are_checked) {
  EXPECT_THROW(static_cast<void>(maximum_percentile(1, 0.5)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(maximum_percentile(16, 1.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(shift_percentile(16, 1.0, 1.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(prefix_correlation(3, 2, 8)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(worthwhile_cost(16, 10, 1.0)), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::theory
