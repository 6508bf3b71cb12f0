#include <cmath>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <evencube/simulator/distribution.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/statistics.hpp>

namespace evencube::simulator {
namespace {

class distribution_moments : public testing::TestWithParam<const char*> {};

TEST_P(distribution_moments, sample_mean_and_variance_match_the_formulas) {
  const distribution d = distribution::parse(GetParam());
  const int count = 400'000;
  running_moments values;
  running_moments squares;
  random_stream random(99, random_purpose::sampling, 0);
  for (int i = 0; i < count; ++i) {
    const double x = d.sample(random.uniform(), static_cast<std::uint64_t>(i));
    ASSERT_GE(x, 0);
    values.add(x);
    squares.add((x - d.mean()) * (x - d.mean()));
  }
  const double n = count;
  EXPECT_NEAR(values.mean(), d.mean(), 4.5 * std::sqrt(d.variance() / n) + 1e-12);
  EXPECT_NEAR(squares.mean(), d.variance(), 4.5 * std::sqrt(squares.variance() / n) + 1e-12);
  EXPECT_EQ(distribution::parse(d.text()).text(), d.text());
}

INSTANTIATE_TEST_SUITE_P(kinds, distribution_moments,
                         testing::Values("constant:2.5", "uniform:0.2,0.8", "exponential:3",
                                         "bimodal:1,10,0.1", "pareto:1,5"));

TEST(distribution, pareto_has_the_tail_it_promises) {
  const distribution d = distribution::pareto(2, 1.5);
  EXPECT_NEAR(d.sample(0.25, 0), 2 * std::pow(0.25, -1 / 1.5), 1e-12);
  EXPECT_TRUE(std::isinf(d.variance()));
  EXPECT_DOUBLE_EQ(d.mean(), 6);
  EXPECT_TRUE(std::isinf(distribution::pareto(2, 1).mean()));
}

TEST(distribution, trace_repeats_its_values_in_order) {
  const distribution d = distribution::trace({3, 1, 2});
  for (std::uint64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(d.sample(0.5, i), (std::array{3.0, 1.0, 2.0}[i % 3]));
  }
  EXPECT_DOUBLE_EQ(d.mean(), 2);
}

TEST(distribution, refuses_what_is_out_of_range_and_names_it) {
  const auto message_of = [](const char* text) -> std::string {
    try {
      (void)distribution::parse(text);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message_of("exponential:-1"), testing::HasSubstr("exponential:-1"));
  EXPECT_THAT(message_of("uniform:3,1"), testing::HasSubstr("low <= high"));
  EXPECT_THAT(message_of("bimodal:1,2,1.5"), testing::HasSubstr("share"));
  EXPECT_THAT(message_of("pareto:0,1"), testing::HasSubstr("pareto:0,1"));
  EXPECT_THAT(message_of("normal:1,2"), testing::HasSubstr("unknown distribution 'normal:1,2'"));
  EXPECT_THAT(message_of("uniform:1"), testing::HasSubstr("2 numbers"));
  EXPECT_THAT(message_of("uniform:1,x"), testing::HasSubstr("'x'"));
  EXPECT_THROW((void)distribution::trace({}), std::invalid_argument);
  EXPECT_THROW((void)distribution::trace({1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::simulator
