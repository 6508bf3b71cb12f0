// After https://github.com/dealii/dealii/pull/18195: a value is computed in parallel when it is
// first needed, and the tasks that need it sleep meanwhile. Where a worker that waits for a part of
// the computation begins another task that needs the value, it waits for itself.
#include <evencube/evencube.hpp>
#include <mutex>

#include "exhibits.hpp"
#include "work.hpp"

void lazy_value() {
  evencube::runtime rt({.workers = 4});
  for (int round = 0; round < 50; ++round) {
    std::once_flag once;
    rt.run([&] {
      evencube::task_group group;
      for (int k = 0; k < 64; ++k) {
        group.spawn([&, k] {
          some_work();
          if (k % 8 != 0) return;
          std::call_once(
              once, [] { evencube::parallel_for(0, 64, [](int) { some_work(); }, {.grain = 1}); });
        });
      }
      group.wait();
    });
  }
}
