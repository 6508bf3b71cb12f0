// A part of the program that is built on oneTBB as it is.
#include <oneapi/tbb.h>

#include <atomic>

long sum_on_tbb_itself() {
  std::atomic<long> sum{0};
  tbb::enumerable_thread_specific<long> values(0L);
  tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [&](const tbb::blocked_range<int>& r) {
      for (int i = r.begin(); i < r.end(); ++i) values.local() += i;
    });
    tbb::task_group group;
    group.run([&] { ++sum; });
    group.wait();
  });
  return sum + values.combine([](long a, long b) { return a + b; });
}
