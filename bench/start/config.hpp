#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::start {

inline const workload about{
    "start",
    "start",
    {{"n", "1000", "1000", "numbers that the first loop sums up"},
     {"before", "0", "0", "runtimes that are made and ended first, not measured"}}};

/// `start_and_sum(n)` makes a runtime, sums 0 + 1 + ... + n - 1 on it and destroys it. Measured
/// from the call to the sum, in a process that has done nothing else: run it with one repetition
/// and without a warm-up.
template <typename Start>
int measure(program& with, const Start& start_and_sum) {
  const std::size_t n = with.number("n");
  std::size_t sum = 0;
  return with.measure({
      .prepare =
          [&] {
            sum = 0;
            for (std::size_t k = with.number("before"); k != 0; --k) start_and_sum(n, sum);
            sum = 0;
          },
      .run = [&] { return start_and_sum(n, sum); },
      .verify =
          [&] {
            return sum == n * (n - 1) / 2 ? std::string() : std::to_string(sum) + " is wrong";
          },
  });
}

}  // namespace bench::start
