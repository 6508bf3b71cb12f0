#include <algorithm>

#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

using cell = std::uint64_t;

// Four functions, for schedule(runtime) would hinder the compiler.
void in_equal_parts(cell* cells, std::size_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
}

void in_turns(cell* cells, std::size_t n, int threads, int grain) {
#pragma omp parallel for num_threads(threads) schedule(static, grain)
  for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
}

void guided(cell* cells, std::size_t n, int threads, int grain) {
#pragma omp parallel for num_threads(threads) schedule(guided, grain)
  for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
}

void dynamic(cell* cells, std::size_t n, int threads, int grain) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, grain)
  for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine openmp_loops = bench::on_openmp;
  openmp_loops.settings = {
      {"schedule", "static", "static", "how the range is split", {"static", "guided", "dynamic"}}};
  return bench::main_of(bench::loop::about, openmp_loops, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    const int grain = static_cast<int>(with.number("grain"));
    const std::string schedule = with.word("schedule");
    return bench::loop::measure(with, [&](cell* cells, std::size_t n) {
      if (schedule == "static" && grain == 0) {
        in_equal_parts(cells, n, threads);
      } else if (schedule == "static") {
        in_turns(cells, n, threads, grain);
      } else if (schedule == "guided") {
        guided(cells, n, threads, std::max(grain, 1));
      } else {
        dynamic(cells, n, threads, std::max(grain, 1));
      }
    });
  });
}
