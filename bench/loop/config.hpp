#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::loop {

inline const workload about{
    "loop",
    "iteration",
    {{"n", "10000000", "10000", "how many iterations"},
     {"grain", "0", "0", "iterations a task does at least; 0: as the engine likes"}}};

/// What iteration i adds to its own cell: a handful of instructions that the compiler cannot fold.
inline std::uint64_t term(std::size_t i) { return (i ^ (i >> 7U)) * 0x9e3779b97f4a7c15U; }

/// `run(cells, n)` does cells[i] += term(i) for every i < n.
template <typename Run>
int measure(program& with, const Run& run) {
  const std::size_t n = with.number("n");
  std::vector<std::uint64_t> cells(n);
  std::uint64_t runs = 0;
  return with.measure({
      .units = static_cast<double>(n),
      .run =
          [&] {
            ++runs;
            return timed([&] { run(cells.data(), n); });
          },
      .verify =
          [&] {
            for (std::size_t i = 0; i < n; ++i) {
              if (cells[i] != runs * term(i)) return "iteration " + std::to_string(i) + " is wrong";
            }
            return std::string();
          },
  });
}

}  // namespace bench::loop
