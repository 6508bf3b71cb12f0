#include <stdexcept>

#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::spawn::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::spawn::measure(
        with,
        [&](std::uint64_t n, std::uint64_t batch) {
          bench::run_on_openmp(with, [=] {
            bench::spawn::in_batches(n, batch, [](std::uint64_t some) {
              for (std::uint64_t i = 0; i < some; ++i) {
#pragma omp task
                bench::tally::count();
              }
#pragma omp taskwait
            });
          });
        },
        [](std::uint64_t, std::uint64_t) {
          throw std::invalid_argument("a thread outside a team cannot give OpenMP a task");
        });
  });
}
