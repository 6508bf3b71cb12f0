// A library with a runtime of its own, as a program loads and unloads them.
#include <atomic>
#include <evencube/evencube.hpp>

namespace {

evencube::runtime& own_runtime() {
  // With a thread that plans: what planners keep for each thread that they run on would bind the
  // program's own to the library.
  static evencube::runtime rt(
      {.workers = 3, .mode = evencube::balancer_mode::thread, .measured_costs = true});
  return rt;
}

}  // namespace

/// Does some work, by all public means, and leaves the runtime behind.
extern "C" int sum_by_library(int n) {
  using namespace evencube;
  std::atomic<int> sum{0};
  runtime& rt = own_runtime();
  rt.run([&] {
    parallel_for(0, n, [&](int i) { sum += i; });
    task_group group;
    group.spawn([&] { sum += 1; });
    group.wait();
    fork_join([&] { sum += 1; }, [&] { sum += 1; });
    sum += parallel_reduce(0, n, 0, [](int i) { return i; }, [](int a, int b) { return a + b; });
  });
  task_group outside(rt);
  outside.spawn([&] { sum += 1; });
  outside.wait();
  return sum + rt.async([] { return 1; }).get();
}
