#pragma once

#include <algorithm>

#include "on_openmp.hpp"
#include "stepped.hpp"

namespace bench {

/// Parts of a 64th of what a thread has on average: OpenMP splits no finer than it is told.
template <typename Measure>
int stepped_on_openmp(const workload& about, int argc, char** argv, const Measure& measure) {
  engine loops = on_openmp;
  loops.settings = {
      {"schedule", "static", "static", "how the range is split", {"static", "dynamic", "guided"}}};
  return main_of(about, loops, argc, argv, [&](program& with) {
    const int threads = static_cast<int>(with.workers());
    const std::string schedule = with.word("schedule");
    const auto loop = [&](std::size_t n, const auto& body) {
      const auto thread_count = static_cast<std::size_t>(threads);
      const std::size_t parts =
          std::min(n, schedule == "static" ? thread_count : 64 * thread_count);
      const auto part = [&](std::size_t k) { body(n * k / parts, n * (k + 1) / parts); };
      // Three loops, for schedule(runtime) would hinder the compiler.
      if (schedule == "static") {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::size_t k = 0; k < parts; ++k) part(k);
      } else if (schedule == "dynamic") {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (std::size_t k = 0; k < parts; ++k) part(k);
      } else {
#pragma omp parallel for num_threads(threads) schedule(guided)
        for (std::size_t k = 0; k < parts; ++k) part(k);
      }
    };
    return measure(with, loop);
  });
}

}  // namespace bench
