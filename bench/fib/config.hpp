#pragma once

#include <cstdint>
#include <string>

#include "../common/program.hpp"

namespace bench::fib {

inline const workload about{"fib", "call", {{"n", "39", "20", "which Fibonacci number"}}};

inline std::uint64_t number_of(std::uint64_t n) {
  std::uint64_t value = 0, next = 1;
  for (; n > 0; --n) {
    const std::uint64_t sum = value + next;
    value = next;
    next = sum;
  }
  return value;
}

/// `compute(n)` returns fib(n), one task for every call but those for n < 2.
template <typename Compute>
int measure(program& with, const Compute& compute) {
  const auto n = static_cast<unsigned>(with.number("n"));
  const std::uint64_t right = number_of(n);
  std::uint64_t result = 0;
  return with.measure({
      .units = 2.0 * static_cast<double>(number_of(n + 1U)) - 1.0,
      .run = [&] { return timed([&] { result = compute(n); }); },
      .verify = [&] { return result == right ? "" : "fib is " + std::to_string(result); },
  });
}

}  // namespace bench::fib
