#include "../common/on_openmp.hpp"
#include "config.hpp"

using bench::scan::element;

namespace {

void scan(const element* first, std::ptrdiff_t n, element* out, int threads) {
  element sum = 0;
#pragma omp parallel for simd reduction(inscan, + : sum) num_threads(threads)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    sum += first[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::scan::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::scan::measure(with, [=](const element* first, const element* last, element* out) {
      scan(first, last - first, out, threads);
    });
  });
}
