#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace evencube::test {

/// Calls f(values) with vectors of several lengths: none, few, odd, and enough for many parts.
template <typename F>
void with_values(const F& f) {
  for (const std::size_t length : {0U, 1U, 2U, 17U, 1000U, 4099U, 50000U}) {
    std::mt19937 random(static_cast<unsigned>(length) + 1);
    std::vector<int> values(length);
    for (int& value : values) value = static_cast<int>(random() % 10000);
    f(values);
  }
}

}  // namespace evencube::test
