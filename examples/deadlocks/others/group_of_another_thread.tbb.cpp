#include <oneapi/tbb.h>

#include <atomic>
#include <thread>

int main() {
  // The limit stands for the quota of the report.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  std::atomic<int> ran{0};
  std::atomic<bool> ended{false};
  tbb::task_group group;
  std::thread other([&] {
    group.run([&] { ++ran; });
    while (!ended) std::this_thread::yield();  // the thread goes on, and does not wait
  });
  while (ran == 0 && group.wait() == tbb::complete && ran == 0) std::this_thread::yield();
  ended = true;
  other.join();
}
