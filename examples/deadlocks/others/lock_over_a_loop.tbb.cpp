#include <oneapi/tbb.h>

#include <mutex>

#include "../work.hpp"

int main() {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  std::mutex lock;
  arena.execute([&] {
    tbb::parallel_for(
        0, 1000,
        [&](int k) {
          some_work();
          if (k % 8 != 0) return;
          const std::lock_guard holding(lock);
          tbb::parallel_for(0, 16, [](int) { some_work(); }, tbb::simple_partitioner());
        },
        tbb::simple_partitioner());
  });
}
