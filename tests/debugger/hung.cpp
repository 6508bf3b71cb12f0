// A program that a debugger stops in `look_here`: its group has tasks that have not ended, and its
// futures are in every state.
#include <atomic>
#include <cstdio>
#include <evencube/evencube.hpp>
#include <stdexcept>

namespace {

std::atomic<bool> go_on{false};
std::atomic<int> running{0};

}  // namespace

// Not inlined, and with a name that a debugger finds.
extern "C" [[gnu::noinline]] void look_here(
    const evencube::task_group& group, const evencube::task_group& stopped,
    const evencube::future<int>& ready, const evencube::future<int>& thrown,
    const evencube::future<void>& runs, const evencube::future<int>& later,
    const evencube::future<int>& none, const evencube::runtime& rt) {
  std::printf("%p%p%p%p%p%p%p%p\n", static_cast<const void*>(&group),
              static_cast<const void*>(&stopped), static_cast<const void*>(&ready),
              static_cast<const void*>(&thrown), static_cast<const void*>(&runs),
              static_cast<const void*>(&later), static_cast<const void*>(&none),
              static_cast<const void*>(&rt));
}

int main() {
  evencube::runtime rt({.workers = 2, .pin = false});
  evencube::task_group group(rt);
  evencube::task_group stopped(rt);
  stopped.request_stop();
  auto ready = rt.async([] { return 7; });
  auto thrown = rt.async([]() -> int { throw std::runtime_error("as it should"); });
  ready.wait();
  thrown.wait();
  const auto block = [] {
    ++running;
    running.notify_all();
    go_on.wait(false);
  };
  group.spawn(block);
  auto runs = rt.async(block);
  // Both workers run a task; what follows stays queued.
  for (int seen = running; seen != 2; seen = running) running.wait(seen);
  for (int i = 0; i < 3; ++i) group.spawn([] {});
  auto later = rt.async([] { return 8; });
  evencube::future<int> none;
  look_here(group, stopped, ready, thrown, runs, later, none, rt);
  go_on = true;
  go_on.notify_all();
  group.wait();
  runs.wait();
  return later.get() == 8 && ready.get() == 7 ? 0 : 1;
}
