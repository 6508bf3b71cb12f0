#include <omp.h>

#include <mutex>

#include "../work.hpp"

int main() {
  for (int round = 0; round < 50; ++round) {
    std::once_flag once;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
    for (int k = 0; k < 64; ++k) {
#pragma omp task
      {
        some_work();
        if (k % 8 == 0) {
          std::call_once(once, [] {
#pragma omp taskloop grainsize(1)
            for (int i = 0; i < 64; ++i) some_work();
          });
        }
      }
    }
  }
}
