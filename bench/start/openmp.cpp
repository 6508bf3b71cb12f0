#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::start::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::start::measure(with, [=](std::size_t n, std::size_t& sum) {
      return bench::timed([&] {
        std::size_t all = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : all)
        for (std::size_t i = 0; i < n; ++i) all += i;
        sum = all;
      });
    });
  });
}
