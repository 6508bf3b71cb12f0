// After https://github.com/uxlfoundation/oneTBB/issues/2156: in an arena with a single place, a
// task queues another one there and waits for it within nested work.
#include <evencube/arena.hpp>
#include <evencube/evencube.hpp>

#include "exhibits.hpp"

void full_arena() {
  evencube::runtime rt({.workers = 2});
  evencube::arena single(rt, {.workers = 1});
  single.run([&] {
    evencube::parallel_for(0, 4, [&](int) {
      evencube::task_group group;
      group.spawn([&] { single.async([] {}).get(); });
      group.wait();
    });
  });
}
