#include "first_least.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace evencube {
namespace {

// Few different values, so that many nodes are as small as the least.
TEST(first_least, is_the_first_of_the_smallest_after_each_change) {
  std::mt19937_64 random(5);
  for (std::size_t nodes = 1; nodes <= 40; ++nodes) {
    std::vector<int> values(nodes);
    for (int& value : values) value = static_cast<int>(random() % 5);
    first_least least{values};
    for (int change = 0; change < 200; ++change) {
      const auto first = std::ranges::min_element(values) - values.begin();
      ASSERT_EQ(least.node(), static_cast<node_id>(first)) << nodes << " nodes";
      const auto k = static_cast<node_id>(random() % nodes);
      values[k] = static_cast<int>(random() % 5);
      least.set(k, values[k]);
      ASSERT_EQ(least[k], values[k]);
    }
  }
}

}  // namespace
}  // namespace evencube
