// After https://github.com/uxlfoundation/oneTBB/issues/2056: one thread puts a task into a group,
// and another one waits for it, on a machine whose quota is one processor.
#include <atomic>
#include <evencube/evencube.hpp>
#include <thread>

#include "exhibits.hpp"

void group_of_another_thread() {
  evencube::runtime rt({.workers = 1});
  std::atomic<int> ran{0};
  evencube::task_group group(rt);
  std::thread([&] { group.spawn([&] { ++ran; }); }).join();
  group.wait();
}
