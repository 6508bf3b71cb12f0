#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::idle::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::idle::measure(with, [&](const auto& task) {
      bench::run_on_openmp(with, [&] {
        for (unsigned i = 0; i < 64; ++i) {
#pragma omp task
          task();
        }
      });
    });
  });
}
