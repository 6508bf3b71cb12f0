#include <oneapi/tbb.h>

#include "../fair_lock.hpp"
#include "../work.hpp"

int main() {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  fair_lock lock;
  arena.execute([&] {
    tbb::parallel_for(
        0, 1000,
        [&](int k) {
          some_work();
          if (k % 8 == 0) {
            lock.lock();
            lock.unlock();
          } else if (k % 8 == 1) {
            lock.lock_shared();
            tbb::parallel_for(0, 16, [](int) { some_work(); }, tbb::simple_partitioner());
            lock.unlock_shared();
          }
        },
        tbb::simple_partitioner());
  });
}
