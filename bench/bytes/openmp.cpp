#include "../common/on_openmp.hpp"
#include "config.hpp"

using bench::bytes::pixel;

int main(int argc, char** argv) {
  return bench::main_of(bench::bytes::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::bytes::measure(with, [=](const pixel* from, pixel* to, std::size_t n) {
#pragma omp parallel for num_threads(threads) schedule(static)
      for (std::size_t i = 0; i < n; ++i) to[i] = bench::bytes::lighter(from[i]);
    });
  });
}
