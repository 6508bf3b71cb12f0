#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::enumeration::about, bench::on_openmp, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    return bench::enumeration::measure(with, [&](std::size_t parts, const auto& body) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
      for (std::size_t i = 0; i < parts; ++i) body(i);
    });
  });
}
