#include <oneapi/tbb.h>

#include "../work.hpp"

int main() {
  for (int round = 0; round < 100; ++round) {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    tbb::task_arena(2).execute([] { tbb::parallel_invoke(some_work, some_work); });
    tbb::finalize(handle, std::nothrow);
  }
}
