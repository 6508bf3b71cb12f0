// After https://github.com/NVIDIA/stdexec/issues/1429: a task of a pool waits for work that it has
// scheduled on the same pool. Where the wait only blocks, the last free thread waits for itself.
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>

#include "exhibits.hpp"

namespace {

evencube::task<int> depth(evencube::runtime& rt, int n) {
  co_await rt.schedule();
  if (n == 0) co_return 0;
  co_return 1 + evencube::sync_wait(depth(rt, n - 1));
}

}  // namespace

void sync_wait_in_the_pool() {
  evencube::runtime rt({.workers = 2});
  evencube::sync_wait(rt, depth(rt, 10));
}
