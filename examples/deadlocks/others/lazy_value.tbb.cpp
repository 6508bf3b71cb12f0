#include <oneapi/tbb.h>

#include <mutex>

#include "../work.hpp"

int main() {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  for (int round = 0; round < 50; ++round) {
    std::once_flag once;
    arena.execute([&] {
      tbb::task_group group;
      for (int k = 0; k < 64; ++k) {
        group.run([&, k] {
          some_work();
          if (k % 8 != 0) return;
          std::call_once(once, [] {
            tbb::parallel_for(0, 64, [](int) { some_work(); }, tbb::simple_partitioner());
          });
        });
      }
      group.wait();
    });
  }
}
