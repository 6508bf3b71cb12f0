#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

template <typename Body>
void guided(std::size_t n, int threads, int grain, const Body& body) {
#pragma omp parallel for num_threads(threads) schedule(guided, grain)
  for (std::size_t i = 0; i < n; ++i) body(i);
}

template <typename Body>
void dynamic(std::size_t n, int threads, int grain, const Body& body) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, grain)
  for (std::size_t i = 0; i < n; ++i) body(i);
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine openmp_loops = bench::on_openmp;
  openmp_loops.settings = {
      {"schedule", "dynamic", "dynamic", "how the range is split", {"guided", "dynamic"}}};
  return bench::main_of(bench::neighbour::about, openmp_loops, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    const bool is_dynamic = with.word("schedule") == "dynamic";
    return bench::neighbour::measure(with, [&](std::size_t n, std::size_t grain, const auto& body) {
      const int chunk = static_cast<int>(grain);
      is_dynamic ? dynamic(n, threads, chunk, body) : guided(n, threads, chunk, body);
    });
  });
}
