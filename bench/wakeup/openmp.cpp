#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::wakeup::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::wakeup::measure(with, [&](bench::wakeup::meeting& all) {
      const int threads = static_cast<int>(with.workers());
#pragma omp parallel num_threads(threads)
      all.attend();
    });
  });
}
