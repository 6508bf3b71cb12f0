// After https://github.com/cmuparlay/parlaylib/issues/83: the first fork comes while the workers
// are just beginning. Where the wake-up of a worker is lost, the program runs on one thread, or
// waits for ever if nobody else wakes the worker that has the other half.
#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>

#include "exhibits.hpp"
#include "work.hpp"

void first_fork() {
  for (int round = 0; round < 100; ++round) {
    evencube::runtime rt({.workers = 2});
    auto both = rt.async([] { evencube::parallel_invoke(some_work, some_work); });
    both.get();
  }
}
