#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "../common/program.hpp"

namespace bench::skynet {

inline constexpr std::uint64_t fan_out = 10;

inline const workload about{
    "skynet", "node", {{"depth", "7", "4", "levels below the root: 10^depth leaves"}}};

/// `compute(leaves)` returns the sum of the numbers 0 to leaves - 1, found by the leaves of a tree
/// in which every node that is not a leaf makes ten tasks and adds what they return.
template <typename Compute>
int measure(program& with, const Compute& compute) {
  std::uint64_t leaves = 1;
  std::uint64_t nodes = 1;
  for (std::uint64_t level = 0; level < with.number("depth"); ++level) {
    leaves *= fan_out;
    nodes += leaves;
  }
  const std::uint64_t right = leaves * (leaves - 1) / 2;
  std::uint64_t result = 0;
  return with.measure({
      .units = static_cast<double>(nodes),
      .run = [&] { return timed([&] { result = compute(leaves); }); },
      .verify = [&] { return result == right ? "" : "the sum is " + std::to_string(result); },
  });
}

}  // namespace bench::skynet
