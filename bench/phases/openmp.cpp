#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::phases::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::phases::measure(with, [=](std::size_t n, const auto& body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
      for (std::size_t i = 0; i < n; ++i) body(i);
    });
  });
}
