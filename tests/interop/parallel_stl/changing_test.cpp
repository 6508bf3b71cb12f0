// std::execution::par on EvenCube gives what the serial algorithms give: those that write.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <execution>
#include <iterator>
#include <vector>

#include "lengths.hpp"

namespace {

using evencube::test::with_values;
using std::execution::par;

bool is_odd(int value) { return value % 2 != 0; }

TEST(parallel_stl, visits_and_transforms) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> got(values);
    std::for_each(par, got.begin(), got.end(), [](int& value) { value = 3 * value; });
    std::vector<int> expected(values.size());
    std::transform(values.begin(), values.end(), expected.begin(),
                   [](int value) { return 3 * value; });
    EXPECT_EQ(got, expected);
    std::vector<int> third(values.size());
    std::transform(par, values.begin(), values.end(), third.begin(),
                   [](int value) { return 3 * value; });
    EXPECT_EQ(third, expected);
  });
}

TEST(parallel_stl, copies_what_fits) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> expected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), is_odd);
    std::vector<int> got(values.size());
    got.erase(std::copy_if(par, values.begin(), values.end(), got.begin(), is_odd), got.end());
    EXPECT_EQ(got, expected);
  });
}

TEST(parallel_stl, removes_and_parts) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> expected(values);
    std::vector<int> got(values);
    expected.erase(std::remove_if(expected.begin(), expected.end(), is_odd), expected.end());
    got.erase(std::remove_if(par, got.begin(), got.end(), is_odd), got.end());
    EXPECT_EQ(got, expected);
    std::vector<int> parted(values);
    const auto middle = std::stable_partition(par, parted.begin(), parted.end(), is_odd);
    EXPECT_TRUE(std::all_of(parted.begin(), middle, is_odd));
    EXPECT_TRUE(std::none_of(middle, parted.end(), is_odd));
    EXPECT_EQ(std::vector<int>(middle, parted.end()), expected);
  });
}

TEST(parallel_stl, reverses_and_drops_repetitions) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> got(values);
    std::reverse(par, got.begin(), got.end());
    EXPECT_EQ(got, std::vector<int>(values.rbegin(), values.rend()));
    for (int& value : got) value /= 5000;
    std::vector<int> expected(got);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    got.erase(std::unique(par, got.begin(), got.end()), got.end());
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
