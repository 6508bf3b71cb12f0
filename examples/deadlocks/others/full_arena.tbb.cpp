#include <oneapi/tbb.h>

#include <atomic>

int main() {
  tbb::task_arena single(1);
  single.execute([&] {
    tbb::parallel_for(0, 4, [&](int) {
      std::atomic<bool> queued_has_run{false};
      tbb::task_group group;
      group.run([&] {
        single.enqueue([&] { queued_has_run = true; });
        tbb::task_group inner;
        // There is nothing in oneTBB to wait for a task that was enqueued: work until it has run.
        while (!queued_has_run) {
          inner.run([] {});
          inner.wait();
        }
      });
      group.wait();
    });
  });
}
