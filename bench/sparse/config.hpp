#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/stepped.hpp"

namespace bench::sparse {

inline const workload about{
    "sparse",
    "row and step",
    {{"rows", "8192", "128", "rows of the matrix"}, {"steps", "200", "5", "products"}}};

struct entry {
  double value;
  std::uint32_t column;
};

/// x = A x again and again, with rows whose lengths follow a power law, the longest first.
template <typename Loop>
int measure(program& with, Loop& loop) {
  const std::size_t rows = with.number("rows");
  const std::size_t steps = with.number("steps");
  std::vector<std::vector<entry>> matrix(rows);
  std::vector<double> x(rows);
  std::vector<double> y(rows);
  const auto reset = [&](const auto& over) {
    over(rows, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        const double part = static_cast<double>(rows) / static_cast<double>(r + 1);
        const auto length =
            std::min(rows / 2, static_cast<std::size_t>(3 + 2 * std::pow(part, 0.7)));
        matrix[r].resize(length);
        for (std::size_t k = 0; k < length; ++k) {
          const std::uint64_t draw = (r * 1000003 + k) * 0x9e3779b97f4a7c15U;
          matrix[r][k] = {1.0 / static_cast<double>(length),
                          static_cast<std::uint32_t>((draw >> 32U) * rows >> 32U)};
        }
        x[r] = static_cast<double>(r % 17);
        y[r] = 0;
      }
    });
  };
  const auto step = [&](const auto& over, std::size_t) {
    over(rows, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        double sum = 0;
        for (const entry& e : matrix[r]) sum += e.value * x[e.column];
        y[r] = sum;
      }
    });
    std::swap(x, y);
  };
  return measure_steps(with, static_cast<double>(rows), steps, loop, reset, step,
                       [&] { return x; });
}

}  // namespace bench::sparse
