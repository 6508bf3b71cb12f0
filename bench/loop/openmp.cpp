#include <algorithm>

#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  bench::engine openmp_loops = bench::on_openmp;
  openmp_loops.settings = {
      {"schedule", "static", "static", "how the range is split", {"static", "guided", "dynamic"}}};
  return bench::main_of(bench::loop::about, openmp_loops, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    const auto grain = static_cast<int>(with.number("grain"));
    const std::string schedule = with.word("schedule");
    return bench::loop::measure(with, [&](std::uint64_t* cells, std::size_t n) {
      // Four loops, for schedule(runtime) would hinder the compiler.
      if (schedule == "static" && grain == 0) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
      } else if (schedule == "static") {
#pragma omp parallel for num_threads(threads) schedule(static, grain)
        for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
      } else if (schedule == "guided") {
#pragma omp parallel for num_threads(threads) schedule(guided, std::max(grain, 1))
        for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
      } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic, std::max(grain, 1))
        for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
      }
    });
  });
}
