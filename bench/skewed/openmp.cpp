#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::skewed::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::skewed::measure(with, [&](bench::skewed::tasks& all) {
      bench::run_on_openmp(with, [&] {
        for (std::size_t i = 0; i < all.size(); ++i) {
#pragma omp task shared(all) firstprivate(i)
          all.run(i);
        }
#pragma omp taskwait
      });
    });
  });
}
