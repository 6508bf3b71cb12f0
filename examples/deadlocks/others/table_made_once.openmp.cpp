#include <omp.h>

#include <cstddef>
#include <mutex>
#include <vector>

#include "../work.hpp"

int main() {
  std::vector<std::once_flag> made(125);
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int k = 0; k < 1000; ++k) {
    std::call_once(made[static_cast<std::size_t>(k / 8)], [] {
#pragma omp taskloop grainsize(1)
      for (int i = 0; i < 16; ++i) some_work();
    });
    some_work();
  }
}
