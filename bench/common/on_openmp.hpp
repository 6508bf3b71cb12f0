#pragma once

#include <omp.h>

#include "program.hpp"

namespace bench {

inline const engine on_openmp{"openmp"};

/// Runs f() in one thread of a team whose other threads take the tasks it makes.
template <typename F>
void run_on_openmp(const program& with, const F& f) {
  const int threads = static_cast<int>(with.workers());
#pragma omp parallel num_threads(threads)
#pragma omp single
  f();
}

}  // namespace bench
