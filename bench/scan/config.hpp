#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::scan {

inline const workload about{
    "scan", "element", {{"n", "10000000", "10000", "how many 64-bit numbers"}}};

using element = std::uint64_t;

/// `run(first, last, out)` writes the inclusive prefix sums of [first, last) to `out`.
template <typename Run>
int measure(program& with, const Run& run) {
  std::vector<element> numbers(with.number("n"));
  std::uint64_t state = 1;
  for (element& number : numbers) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    number = state >> 32U;
  }
  std::vector<element> right(numbers.size());
  std::inclusive_scan(numbers.begin(), numbers.end(), right.begin());
  std::vector<element> sums(numbers.size());
  return with.measure({
      .units = static_cast<double>(numbers.size()),
      .prepare = [&] { sums.assign(sums.size(), 0); },
      .run =
          [&] {
            return timed(
                [&] { run(numbers.data(), numbers.data() + numbers.size(), sums.data()); });
          },
      .verify = [&] { return sums == right ? "" : std::string("not the prefix sums"); },
  });
}

}  // namespace bench::scan
