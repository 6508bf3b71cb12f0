#include <oneapi/tbb.h>

#include <cstddef>
#include <mutex>
#include <vector>

#include "../work.hpp"

int main() {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  std::vector<std::once_flag> made(125);
  arena.execute([&] {
    tbb::parallel_for(
        0, 1000,
        [&](int k) {
          std::call_once(made[static_cast<std::size_t>(k / 8)], [] {
            tbb::parallel_for(0, 16, [](int) { some_work(); }, tbb::simple_partitioner());
          });
          some_work();
        },
        tbb::simple_partitioner());
  });
}
