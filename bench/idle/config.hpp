#pragma once

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::idle {

inline const workload about{
    "idle", "rest", {{"rest", "2000", "100", "milliseconds without any work"}}};

/// Processor time of all the threads of this process so far.
inline double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// `work(task)` makes 64 tasks that call task() and returns when all have run. Measured: processor
/// seconds, not time on the wall, that the process then uses while nobody asks it for anything.
template <typename Work>
int measure(program& with, const Work& work) {
  const auto rest = std::chrono::milliseconds(with.number("rest"));
  const std::uint64_t quantum = spin_clock().ticks(100.0);
  std::atomic<unsigned> ran{0};
  return with.measure({
      .prepare =
          [&] {
            ran = 0;
            work([&] {
              spin_clock::spin(quantum);
              ran.fetch_add(1, std::memory_order_relaxed);
            });
          },
      .run =
          [&] {
            const double before = cpu_seconds();
            std::this_thread::sleep_for(rest);
            return cpu_seconds() - before;
          },
      .verify =
          [&] { return ran == 64 ? "" : "only " + std::to_string(ran.load()) + " tasks ran"; },
  });
}

}  // namespace bench::idle
