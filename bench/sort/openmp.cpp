#include "../common/on_openmp.hpp"
#include "config.hpp"

using bench::sort::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::sort::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::sort::measure(with, [&](element* first, element* last, element* spare) {
      bench::run_on_openmp(with, [=] {
        bench::sort::merge_sort(first, last, spare, [](const auto& f, const auto& g) {
#pragma omp task shared(f)
          f();
          g();
#pragma omp taskwait
        });
      });
    });
  });
}
