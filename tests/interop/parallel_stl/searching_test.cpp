// std::execution::par on EvenCube gives what the serial algorithms give: those that look.
#include <gtest/gtest.h>

#include <algorithm>
#include <execution>
#include <vector>

#include "lengths.hpp"

namespace {

using evencube::test::with_values;
using std::execution::par;

TEST(parallel_stl, finds_the_first) {
  with_values([](const std::vector<int>& values) {
    for (const int wanted : {1, 5000, 20000}) {
      EXPECT_EQ(std::find(par, values.begin(), values.end(), wanted),
                std::find(values.begin(), values.end(), wanted));
    }
    const auto large = [](int value) { return value > 9900; };
    EXPECT_EQ(std::find_if(par, values.begin(), values.end(), large),
              std::find_if(values.begin(), values.end(), large));
    EXPECT_EQ(std::adjacent_find(par, values.begin(), values.end()),
              std::adjacent_find(values.begin(), values.end()));
  });
}

TEST(parallel_stl, counts_and_asks) {
  with_values([](const std::vector<int>& values) {
    const auto odd = [](int value) { return value % 2 != 0; };
    EXPECT_EQ(std::count_if(par, values.begin(), values.end(), odd),
              std::count_if(values.begin(), values.end(), odd));
    EXPECT_EQ(std::any_of(par, values.begin(), values.end(), odd),
              std::any_of(values.begin(), values.end(), odd));
    EXPECT_EQ(std::all_of(par, values.begin(), values.end(), odd),
              std::all_of(values.begin(), values.end(), odd));
  });
}

TEST(parallel_stl, finds_the_least_and_the_greatest) {
  with_values([](const std::vector<int>& values) {
    EXPECT_EQ(std::min_element(par, values.begin(), values.end()),
              std::min_element(values.begin(), values.end()));
    EXPECT_EQ(std::max_element(par, values.begin(), values.end()),
              std::max_element(values.begin(), values.end()));
  });
}

TEST(parallel_stl, compares) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> other(values);
    EXPECT_TRUE(std::equal(par, values.begin(), values.end(), other.begin(), other.end()));
    if (other.empty()) return;
    ++other[other.size() / 2];
    EXPECT_FALSE(std::equal(par, values.begin(), values.end(), other.begin(), other.end()));
    EXPECT_EQ(std::mismatch(par, values.begin(), values.end(), other.begin()),
              std::mismatch(values.begin(), values.end(), other.begin()));
  });
}

}  // namespace
