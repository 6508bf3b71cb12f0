// Numbers of many binary places: exact where they can be, and cut where it is said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include <evencube/workloads/fixed_point.hpp>

namespace evencube::workloads {
namespace {

double value(const std::string& text, std::size_t words = 4) {
  return fixed_point{text, words}.to_double();
}

TEST(fixed_point, reads_decimals) {
  EXPECT_EQ(value("0"), 0);
  EXPECT_EQ(value("-0.5"), -0.5);
  EXPECT_EQ(value("+3.25"), 3.25);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("2."), 2);
  EXPECT_EQ(value("0007.125000"), 7.125);
  EXPECT_DOUBLE_EQ(value("-0.743643887037158704752191506114774"), -0.743643887037158704752);
  EXPECT_DOUBLE_EQ(value("0." + std::string(200, '0') + "1", 40), 1e-201);
}

TEST(fixed_point, refuses_what_is_no_decimal) {
  for (const std::string text : {"", "-", ".", "1e5", "0x1", "1.2.3", " 1", "1 ", "nan", "--1"}) {
    EXPECT_THROW(value(text), std::invalid_argument) << text;
  }
  EXPECT_THROW(value(std::string(1001, '0')), std::invalid_argument);
  EXPECT_THROW(value("4000000000"), std::invalid_argument);
  EXPECT_THROW(value("99999999999999999999999"), std::invalid_argument);
}

TEST(fixed_point, sums_and_products_of_short_numbers) {
  std::mt19937 random{7};
  std::uniform_int_distribution<int> eighths{-800, 800};
  const auto text = [](int of) {
    return (of < 0 ? "-" : "") + std::to_string(std::abs(of) / 8) + "." +
           std::to_string(1000 + std::abs(of) % 8 * 125).substr(1);
  };
  for (int i = 0; i < 1000; ++i) {
    const int a = eighths(random);
    const int b = eighths(random);
    const fixed_point x{text(a), 3};
    const fixed_point y{text(b), 3};
    EXPECT_NEAR(x.to_double(), a / 8.0, 1e-27);
    EXPECT_NEAR((x + y).to_double(), (a + b) / 8.0, 1e-15);
    EXPECT_NEAR((x - y).to_double(), (a - b) / 8.0, 1e-15);
    EXPECT_NEAR((x * y).to_double(), a * b / 64.0, 1e-12);
    EXPECT_NEAR(x.doubled().to_double(), a / 4.0, 1e-15);
  }
}

TEST(fixed_point, keeps_digits_that_a_double_would_lose) {
  const std::string zeros(60, '0');
  const fixed_point a{"1." + zeros + "1", 8};
  const fixed_point b{"1", 8};
  EXPECT_NEAR((a - b).to_double() * 1e61, 1, 1e-10);
  // (1 + e)^2 - 1 - 2 e = e^2
  const fixed_point e{"0." + zeros + "1", 16};
  const fixed_point one{"1", 16};
  const fixed_point square = (one + e) * (one + e) - one - e.doubled();
  EXPECT_NEAR(square.to_double() * 1e122, 1, 1e-10);
  EXPECT_EQ((e - e).to_double(), 0);
  EXPECT_LT((e - one).to_double(), 0);
}

}  // namespace
}  // namespace evencube::workloads
