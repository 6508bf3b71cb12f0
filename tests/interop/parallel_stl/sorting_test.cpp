// std::execution::par on EvenCube gives what the serial algorithms give: those that sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <execution>
#include <functional>
#include <utility>
#include <vector>

#include "lengths.hpp"

namespace {

using evencube::test::with_values;
using std::execution::par;

TEST(parallel_stl, sorts) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> expected(values);
    std::sort(expected.begin(), expected.end());
    std::vector<int> got(values);
    std::sort(par, got.begin(), got.end());
    EXPECT_EQ(got, expected);
    EXPECT_TRUE(std::is_sorted(par, got.begin(), got.end()));
  });
}

TEST(parallel_stl, sorts_in_a_stable_way) {
  with_values([](const std::vector<int>& values) {
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::vector<std::pair<int, int>> expected;
    for (const int value : values) expected.emplace_back(value % 10, value);
    std::vector<std::pair<int, int>> got(expected);
    std::stable_sort(expected.begin(), expected.end(), less);
    std::stable_sort(par, got.begin(), got.end(), less);
    EXPECT_EQ(got, expected);
  });
}

TEST(parallel_stl, merges) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> left(values);
    std::vector<int> right(values);
    for (int& value : right) value = value / 2 + 1;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::vector<int> expected(left.size() + right.size());
    std::vector<int> got(expected.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), expected.begin());
    std::merge(par, left.begin(), left.end(), right.begin(), right.end(), got.begin());
    EXPECT_EQ(got, expected);
  });
}

TEST(parallel_stl, makes_sets) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> left(values);
    std::vector<int> right(values);
    for (int& value : right) value += value % 3;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::vector<int> expected(left.size() + right.size());
    std::vector<int> got(expected.size());
    expected.resize(static_cast<std::size_t>(
        std::set_union(left.begin(), left.end(), right.begin(), right.end(), expected.begin()) -
        expected.begin()));
    got.resize(static_cast<std::size_t>(
        std::set_union(par, left.begin(), left.end(), right.begin(), right.end(), got.begin()) -
        got.begin()));
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
