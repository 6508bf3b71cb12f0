// The tiles of a product, and the checks that must notice a wrong one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <evencube/workloads/matrix.hpp>

namespace evencube::workloads {
namespace {

square_matrix product(const square_matrix& a, const square_matrix& b, std::string_view kernel,
                      std::size_t side) {
  square_matrix c{a.order()};
  for (auto& entry : c.entries()) {
    entry = 1e300;  // what a kernel forgets to overwrite must show
  }
  const auto multiply = make_multiply_kernel(kernel);
  for (const auto& tile : cut_into_tiles(a.order(), side)) {
    multiply->multiply(a, b, tile, c);
  }
  return c;
}

class kernels : public ::testing::TestWithParam<std::string_view> {};

TEST_P(kernels, small_whole_numbers_multiply_exactly) {
  constexpr std::size_t order = 37;
  square_matrix a{order};
  square_matrix b{order};
  for (std::size_t row = 0; row < order; ++row) {
    for (std::size_t column = 0; column < order; ++column) {
      a.row(row)[column] = static_cast<double>((row * 7 + column * 3) % 11) - 5;
      b.row(row)[column] = static_cast<double>((row * 5 + column * 2) % 13) - 6;
    }
  }
  for (const std::size_t side : {1U, 8U, 37U, 64U}) {
    const auto c = product(a, b, GetParam(), side);
    for (std::size_t row = 0; row < order; ++row) {
      for (std::size_t column = 0; column < order; ++column) {
        double expected = 0;
        for (std::size_t k = 0; k < order; ++k) {
          expected += a.row(row)[k] * b.row(k)[column];
        }
        ASSERT_EQ(c.row(row)[column], expected) << row << ", " << column << " / " << side;
      }
    }
  }
}

TEST_P(kernels, random_products_pass_both_checks) {
  for (const std::size_t order : {1U, 2U, 50U, 200U, 300U}) {
    const auto a = random_matrix(order, 1);
    const auto b = random_matrix(order, 2);
    const auto c = product(a, b, GetParam(), 64);
    EXPECT_TRUE(check_every_entry(a, b, c).passed()) << order;
    EXPECT_TRUE(check_by_vectors(a, b, c, 3, 2).passed()) << order;
  }
}

TEST_P(kernels, a_wrong_entry_fails_both_checks) {
  constexpr std::size_t order = 200;
  const auto a = random_matrix(order, 1);
  const auto b = random_matrix(order, 2);
  const auto good = product(a, b, GetParam(), 64);
  for (const double change : {1.0, 1e-6, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{12345}, order * order - 1}) {
      auto bad = good;
      bad.entries()[at] += change;
      EXPECT_FALSE(check_every_entry(a, b, bad).passed()) << change << " at " << at;
      EXPECT_FALSE(check_by_vectors(a, b, bad, 3, 2).passed()) << change << " at " << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of_this_build, kernels, ::testing::ValuesIn(multiply_kernels()),
                         [](const auto& instance) { return std::string{instance.param}; });

TEST(kernel_choice, names) {
  EXPECT_EQ(make_multiply_kernel("portable")->name(), "portable");
  EXPECT_EQ(make_multiply_kernel("auto")->name(), multiply_kernels().front());
  try {
    static_cast<void>(make_multiply_kernel("fast"));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& problem) {
    EXPECT_THAT(problem.what(), ::testing::HasSubstr("\"fast\""));
    EXPECT_THAT(problem.what(), ::testing::HasSubstr("auto"));
    EXPECT_THAT(problem.what(), ::testing::HasSubstr("portable"));
  }
}

TEST(product_checks, the_bound_is_the_stated_one) {
  square_matrix a{2};
  square_matrix b{2};
  a.row(0)[0] = -3;
  b.row(1)[0] = 5;
  const double unit = 0x1p-53;
  EXPECT_DOUBLE_EQ(check_every_entry(a, b, square_matrix{2}).bound,
                   2 * (2 * unit / (1 - 2 * unit)) * 2 * 3 * 5);
}

TEST(random_matrices, are_reproducible_and_within_range) {
  const auto matrix = random_matrix(100, 42);
  EXPECT_TRUE(matrix == random_matrix(100, 42));
  EXPECT_FALSE(matrix == random_matrix(100, 43));
  double sum = 0;
  for (const double entry : matrix.entries()) {
    ASSERT_GE(entry, -1);
    ASSERT_LT(entry, 1);
    sum += entry;
  }
  EXPECT_LT(std::abs(sum / 10000), 0.03);  // five standard deviations of the mean
}

}  // namespace
}  // namespace evencube::workloads
