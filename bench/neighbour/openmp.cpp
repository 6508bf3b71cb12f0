#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  bench::engine openmp_loops = bench::on_openmp;
  openmp_loops.settings = {
      {"schedule", "dynamic", "dynamic", "how the range is split", {"guided", "dynamic"}}};
  return bench::main_of(bench::neighbour::about, openmp_loops, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    const bool dynamic = with.word("schedule") == "dynamic";
    return bench::neighbour::measure(with, [&](std::size_t n, std::size_t grain, const auto& body) {
      const int chunk = static_cast<int>(grain);
      if (dynamic) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
        for (std::size_t i = 0; i < n; ++i) body(i);
      } else {
#pragma omp parallel for num_threads(threads) schedule(guided, chunk)
        for (std::size_t i = 0; i < n; ++i) body(i);
      }
    });
  });
}
