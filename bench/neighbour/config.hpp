#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::neighbour {

/// A loop of coarse items, each a fixed piece of work (not a time on the clock: a worker that has
/// to share its CPU does less of it). Run with `--neighbour CPU` and without.
inline const workload about{
    "neighbour",
    "item",
    {{"items", "16384", "64", "how many items"},
     {"rounds", "10000", "100", "multiplications in an item, one after the other"},
     {"grain", "16", "4", "items a task does at least"}}};

inline std::uint64_t work(std::uint64_t item, std::uint64_t rounds) {
  for (; rounds > 0; --rounds) {
    item = item * 6364136223846793005U + 1442695040888963407U;
    // Here a compiler must have the value, so it cannot do several rounds in one.
    asm volatile("" : "+r"(item));
  }
  return item;
}

/// `run(n, grain, body)` calls body(i) for every i < n.
template <typename Run>
int measure(program& with, const Run& run) {
  const std::size_t n = with.number("items");
  const std::size_t grain = with.number("grain");
  const std::uint64_t rounds = with.number("rounds");
  // Each round is x -> ax + c, so all together are x -> Ax + C, from which the sum follows.
  const std::uint64_t constant = work(0, rounds);
  const std::uint64_t factor = work(1, rounds) - constant;
  const std::uint64_t right = factor * (n * (n - 1) / 2) + n * constant;
  std::vector<std::uint64_t> results(n);
  return with.measure({
      .units = static_cast<double>(n),
      .prepare = [&] { results.assign(n, 0); },
      .run =
          [&] {
            return timed(
                [&] { run(n, grain, [&](std::size_t i) { results[i] += work(i, rounds); }); });
          },
      .verify =
          [&] {
            const std::uint64_t sum =
                std::accumulate(results.begin(), results.end(), std::uint64_t{0});
            return sum == right ? "" : "the sum is " + std::to_string(sum);
          },
  });
}

}  // namespace bench::neighbour
