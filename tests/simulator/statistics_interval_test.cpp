#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/statistics.hpp>

namespace evencube::simulator {
namespace {

// Two-sided 95 % points of Student's t, from the printed tables.
TEST(student_t, quantiles_match_the_tables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.7764, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.2622, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 29), 2.0452, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.995, 10), 3.1693, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.95996, 1e-4);
  EXPECT_NEAR(student_t_quantile(0.025, 9), -2.2622, 5e-5);
}

TEST(student_t, one_degree_is_the_cauchy_distribution) {
  for (const double t : {-3.0, -0.5, 0.0, 1.0, 7.5}) {
    EXPECT_NEAR(student_t_probability(t, 1), 0.5 + std::atan(t) / std::acos(-1.0), 1e-12) << t;
  }
}

TEST(student_t, refuses_impossible_arguments) {
  EXPECT_THROW((void)student_t_quantile(0, 5), std::invalid_argument);
  EXPECT_THROW((void)student_t_quantile(1, 5), std::invalid_argument);
  EXPECT_THROW((void)student_t_quantile(0.5, 0), std::invalid_argument);
}

TEST(summary, of_a_small_sample_by_hand) {
  const std::array values{2.0, 4.0, 4.0, 6.0};
  const summary s = summarise(values);
  EXPECT_EQ(s.count, 4U);
  EXPECT_DOUBLE_EQ(s.mean, 4);
  EXPECT_NEAR(s.deviation, std::sqrt(8.0 / 3), 1e-12);
  EXPECT_NEAR(s.half_width, 3.1824 * std::sqrt(8.0 / 3) / 2, 1e-4);
  EXPECT_EQ(s.minimum, 2);
  EXPECT_EQ(s.maximum, 6);
  EXPECT_TRUE(s.contains(4.5));
  EXPECT_FALSE(s.contains(7));
}

TEST(summary, of_one_value_has_no_finite_interval) {
  const std::array values{3.0};
  EXPECT_TRUE(std::isinf(summarise(values).half_width));
  EXPECT_EQ(summarise({}).count, 0U);
}

TEST(summary, interval_covers_the_mean_as_often_as_it_says) {
  random_stream random(5, random_purpose::sampling, 0);
  int covered = 0;
  const int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 10; ++i) {  // sums of uniforms: close to normal, mean 6
      double sum = 0;
      for (int j = 0; j < 12; ++j) sum += random.uniform();
      values.push_back(sum);
    }
    covered += summarise(values).contains(6) ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.95, 4 * std::sqrt(0.95 * 0.05 / trials));
}

}  // namespace
}  // namespace evencube::simulator
