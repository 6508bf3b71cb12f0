#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

using bench::integrate::piece;

double integrate(const piece& whole) {
  const auto [low, high] = halves(whole);
  if (is_close(whole, low, high)) return low.area + high.area;
  double a = 0.0;
  const piece first = low;  // a structured binding cannot be shared
#pragma omp task shared(a, first)
  a = integrate(first);
  const double b = integrate(high);
#pragma omp taskwait
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::integrate::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::integrate::measure(with, [&](const piece& whole) {
      double area = 0.0;
      bench::run_on_openmp(with, [&] { area = integrate(whole); });
      return area;
    });
  });
}
