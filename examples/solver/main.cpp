// An iterated solver whose rows do not cost the same: a flame wanders over a plate, and what burns
// takes many small steps. The rows stay with their workers and move, a few at a time, after it.
#include <cmath>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t width = 96;
constexpr std::size_t height = 256;
using plate = std::vector<double>;

double& cell(plate& of, std::size_t y, std::size_t x) { return of[y * width + x]; }
double cell(const plate& of, std::size_t y, std::size_t x) { return of[y * width + x]; }

// Heat spreads; above one degree something burns, in steps as small as it is hot.
double next(const plate& now, std::size_t y, std::size_t x) {
  double heat = cell(now, y, x);
  heat += 0.2 * (cell(now, y - 1, x) + cell(now, y + 1, x) + cell(now, y, x - 1) +
                 cell(now, y, x + 1) - 4 * heat);
  const int steps = heat > 1 ? 20 : 0;
  for (int k = 0; k < steps; ++k) heat -= 0.01 * std::log1p(heat) / steps;
  return heat;
}

}  // namespace

int main() {
  evencube::runtime rt;
  plate now(width * height);
  plate then(width * height);
  evencube::balanced_loop rows(rt, std::size_t{1}, height - 1);
  // First touch: the pages of a row come to the memory of the worker that will use them.
  rows.run([&](std::size_t y) {
    for (std::size_t x = 0; x < width; ++x) cell(now, y, x) = cell(then, y, x) = 0.1;
  });
  constexpr int steps = 100;
  for (int step = 0; step < steps; ++step) {
    const auto flame = static_cast<std::size_t>(step) * (height - 2) / steps + 1;
    for (std::size_t x = 1; x + 1 < width; ++x) cell(now, flame, x) = 10;
    rows.run([&](std::size_t first, std::size_t last) {
      for (std::size_t y = first; y < last; ++y) {
        for (std::size_t x = 1; x + 1 < width; ++x) cell(then, y, x) = next(now, y, x);
      }
    });
    std::swap(now, then);
  }
  // The same bits for any number of workers.
  const double heat = rows.reduce(
      0.0,
      [&](std::size_t y) {
        double sum = 0;
        for (std::size_t x = 0; x < width; ++x) sum += cell(now, y, x);
        return sum;
      },
      [](double a, double b) { return a + b; });
  const auto seen = rows.statistics();
  std::printf("heat in all %.6f; in %llu runs %llu rows changed their worker in %llu moves\n", heat,
              static_cast<unsigned long long>(seen.runs),
              static_cast<unsigned long long>(seen.moved_items),
              static_cast<unsigned long long>(seen.moves));
  return std::isfinite(heat) && heat > 0 && seen.runs == steps + 2 ? 0 : 1;
}
