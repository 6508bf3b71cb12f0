// std::execution::par on EvenCube gives what the serial algorithms give: sums and prefix sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include "lengths.hpp"

namespace {

using evencube::test::with_values;
using std::execution::par;

TEST(parallel_stl, adds_up) {
  with_values([](const std::vector<int>& values) {
    EXPECT_EQ(std::reduce(par, values.begin(), values.end(), 5L),
              std::accumulate(values.begin(), values.end(), 5L));
    EXPECT_EQ(std::transform_reduce(par, values.begin(), values.end(), values.begin(), 0L,
                                    std::plus<long>(), std::multiplies<long>()),
              std::inner_product(values.begin(), values.end(), values.begin(), 0L,
                                 std::plus<long>(), std::multiplies<long>()));
  });
}

TEST(parallel_stl, adds_prefixes_up) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> expected(values.size());
    std::vector<int> got(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin());
    std::inclusive_scan(par, values.begin(), values.end(), got.begin());
    EXPECT_EQ(got, expected);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), 3);
    std::exclusive_scan(par, values.begin(), values.end(), got.begin(), 3);
    EXPECT_EQ(got, expected);
  });
}

TEST(parallel_stl, transforms_and_adds_prefixes_up) {
  with_values([](const std::vector<int>& values) {
    std::vector<int> expected(values.size());
    std::vector<int> got(values.size());
    const auto twice = [](int value) { return 2 * value; };
    std::transform_inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(),
                                  twice);
    std::transform_inclusive_scan(par, values.begin(), values.end(), got.begin(), std::plus<>(),
                                  twice);
    EXPECT_EQ(got, expected);
    std::adjacent_difference(values.begin(), values.end(), expected.begin());
    std::adjacent_difference(par, values.begin(), values.end(), got.begin());
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
