// A loop whose iterations run on all cores: a picture of the Mandelbrot set, as text.
#include <complex>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <string>
#include <vector>

constexpr int width = 72;
constexpr int height = 24;

char shade(int x, int y) {
  const std::complex<double> c(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height);
  std::complex<double> z = 0;
  int steps = 0;
  while (steps < 1000 && std::norm(z) < 4) {
    z = z * z + c;
    ++steps;
  }
  return " .:-=+*#%@"[steps < 1000 ? steps % 9 : 9];
}

int main() {
  std::vector<std::string> rows(height, std::string(width, ' '));
  evencube::runtime rt;
  // By blocks of rows and columns: some places take a thousand times as long as others.
  evencube::parallel_for(
      rt, evencube::blocked_range_2d(0, height, 0, width), [&](const auto& block) {
        for (int y = block.rows().begin(); y < block.rows().end(); ++y) {
          for (int x = block.columns().begin(); x < block.columns().end(); ++x) {
            rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = shade(x, y);
          }
        }
      });
  for (const std::string& row : rows) std::puts(row.c_str());
  return rows[height / 2][width / 2] == '@' ? 0 : 1;  // a point that never leaves
}
