// Verification must notice the smallest error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <evencube/workloads/city_picture.hpp>

#include "workloads.hpp"

namespace evencube::workloads {
namespace {

using ::testing::HasSubstr;

class edge_verification : public ::testing::Test {
 protected:
  edge_verification() {
    edge_settings settings;
    settings.tile = 32;
    const auto picture = make_city_picture(200, 150, 3);
    detect_edges_serially(picture, settings, serial_);
    detect_edges_serially(picture, settings, parallel_);
  }

  edge_result serial_;
  edge_result parallel_;
};

TEST_F(edge_verification, accepts_equal_results) {
  EXPECT_TRUE(compare_edge_results(serial_, parallel_).passed);
}

TEST_F(edge_verification, notices_one_flipped_bit_of_one_pixel) {
  for (const auto& [x, y] : {std::pair{0U, 0U}, {137U, 99U}, {199U, 149U}}) {
    auto wrong = parallel_;
    wrong.edges.row(y)[x] ^= 1;
    const auto check = compare_edge_results(serial_, wrong);
    EXPECT_FALSE(check.passed);
    EXPECT_THAT(check.detail, HasSubstr("pixel (" + std::to_string(x) + ", " + std::to_string(y)));
  }
}

TEST_F(edge_verification, notices_a_vote_a_count_and_a_line) {
  auto wrong = parallel_;
  ++wrong.space.votes(17)[50];
  EXPECT_FALSE(compare_edge_results(serial_, wrong).passed);
  wrong = parallel_;
  ++wrong.edge_pixels[3];
  EXPECT_FALSE(compare_edge_results(serial_, wrong).passed);
  wrong = parallel_;
  ASSERT_FALSE(wrong.lines.empty());
  ++wrong.lines.back().angle;
  EXPECT_FALSE(compare_edge_results(serial_, wrong).passed);
  wrong = parallel_;
  wrong.lines.pop_back();
  EXPECT_FALSE(compare_edge_results(serial_, wrong).passed);
}

TEST_F(edge_verification, notices_another_size) {
  edge_result other;
  detect_edges_serially(make_city_picture(150, 200, 3), {}, other);
  EXPECT_FALSE(compare_edge_results(serial_, other).passed);
}

square_matrix plain_product(const square_matrix& a, const square_matrix& b) {
  square_matrix c{a.order()};
  make_multiply_kernel("portable")->multiply(a, b, {0, a.order(), 0, a.order()}, c);
  return c;
}

TEST(product_verification, notices_a_wrong_entry_in_small_and_large_products) {
  for (const std::size_t order : {std::size_t{64}, largest_full_check + 1}) {
    const auto a = random_matrix(order, 1);
    const auto b = random_matrix(order, 2);
    auto c = plain_product(a, b);
    EXPECT_TRUE(check_product(a, b, c).passed) << order;
    c.entries()[order + 1] += 1e-6;
    EXPECT_FALSE(check_product(a, b, c).passed) << order;
    c.entries()[order + 1] = std::nan("");
    EXPECT_FALSE(check_product(a, b, c).passed) << order;
  }
}

TEST(run_once_verification, notices_a_task_lost_and_a_task_run_twice) {
  EXPECT_TRUE(check_run_once({1, 1, 1}).passed);
  EXPECT_THAT(check_run_once({1, 0, 1}).detail, HasSubstr("task 1 ran 0 times"));
  EXPECT_FALSE(check_run_once({1, 0, 1}).passed);
  EXPECT_THAT(check_run_once({1, 1, 2}).detail, HasSubstr("task 2 ran 2 times"));
  EXPECT_FALSE(check_run_once({1, 1, 2}).passed);
}

}  // namespace
}  // namespace evencube::workloads
