#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::sweeps::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::sweeps::measure(with, [=](auto& line) {
#pragma omp parallel num_threads(threads)
      for (std::size_t s = 0; s < line.sweeps(); ++s) {
#pragma omp for schedule(static)
        for (std::size_t block = 0; block < line.blocks(); ++block) line.step_block(s, block);
      }
    });
  });
}
