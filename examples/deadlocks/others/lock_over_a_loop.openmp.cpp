#include <omp.h>

#include <mutex>

#include "../work.hpp"

int main() {
  std::mutex lock;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int k = 0; k < 1000; ++k) {
    some_work();
    if (k % 8 == 0) {
      const std::lock_guard holding(lock);
#pragma omp taskloop grainsize(1)
      for (int i = 0; i < 16; ++i) some_work();
    }
  }
}
