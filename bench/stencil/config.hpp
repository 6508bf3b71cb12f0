#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "../common/stepped.hpp"

namespace bench::stencil {

inline const workload about{"stencil",
                            "cell and step",
                            {{"rows", "1024", "64", "rows of the plate"},
                             {"columns", "64", "16", "columns of the plate"},
                             {"steps", "400", "10", "time steps"}}};

/// Heat on a plate under a source that drifts from the first row to the last; what is hot burns, in
/// twelve small steps: rows near the source cost several times as much.
template <typename Loop>
int measure(program& with, Loop& loop) {
  const std::size_t rows = with.number("rows");
  const std::size_t columns = with.number("columns");
  const std::size_t steps = with.number("steps");
  const std::size_t width = columns + 2;
  // Not touched before the loop does.
  std::vector<std::vector<double>> now(rows + 2);
  std::vector<std::vector<double>> then(rows + 2);
  now.front() = now.back() = then.front() = then.back() = std::vector<double>(width, 0.0);
  const auto reset = [&](const auto& over) {
    over(rows, [&](std::size_t first, std::size_t last) {
      for (std::size_t y = first + 1; y <= last; ++y) {
        now[y].assign(width, 0.0);
        then[y].assign(width, 0.0);
      }
    });
  };
  const auto step = [&](const auto& over, std::size_t k) {
    const std::size_t source = 1 + k * rows / steps;
    const double* const hot = now[source].data();
    over(rows, [&](std::size_t first, std::size_t last) {
      for (std::size_t y = first + 1; y <= last; ++y) {
        const double* const above = now[y - 1].data();
        const double* const here = now[y].data();
        const double* const below = now[y + 1].data();
        double* const out = then[y].data();
        for (std::size_t x = 1; x <= columns; ++x) {
          double heat =
              here[x] + 0.2 * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
          if (here == hot) heat += 5;
          if (heat > 0.1) {
            for (int burn = 0; burn < 12; ++burn) heat -= 0.002 * heat / (1 + heat * heat);
          }
          out[x] = heat;
        }
      }
    });
    std::swap(now, then);
  };
  return measure_steps(with, static_cast<double>(rows * columns), steps, loop, reset, step, [&] {
    std::vector<double> all;
    for (std::size_t y = 1; y <= rows; ++y) all.insert(all.end(), now[y].begin(), now[y].end());
    return all;
  });
}

}  // namespace bench::stencil
