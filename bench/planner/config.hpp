#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"
#include "../common/tally.hpp"

/// What planning costs while there is nothing to plan: every worker begins with the same work.
namespace bench::planner {

inline const workload about{
    "planner",
    "load",
    {{"load", "2000", "50", "milliseconds of work for each worker, in tasks of 100 us"},
     {"mode", "thread", "thread", "who plans", {"thread", "automatic"}}}};

/// Processor seconds so far of the thread of this process that is called `name`; nothing if there
/// is none.
inline std::optional<double> cpu_seconds_of(const std::string& name) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string called;
    std::getline(std::ifstream(thread.path() / "comm") >> std::ws, called);
    if (called != name) continue;
    double nanoseconds = 0.0;  // the first number: time on a processor
    std::ifstream(thread.path() / "schedstat") >> nanoseconds;
    return 1e-9 * nanoseconds;
  }
  return std::nullopt;
}

/// `run(per_worker, task)` makes `per_worker` tasks that call task() for each worker and returns
/// when all have run; `planning_seconds()` is what planning has taken so far. Measured: how much
/// that grows in a run.
template <typename Run, typename Planning>
int measure(program& with, const Run& run, const Planning& planning_seconds) {
  const std::uint64_t per_worker = 10 * with.number("load");
  const std::uint64_t quantum = spin_clock().ticks(100.0);
  return with.measure({
      .run =
          [&] {
            const double before = planning_seconds();
            run(per_worker, [&] {
              spin_clock::spin(quantum);
              tally::count();
            });
            return planning_seconds() - before;
          },
      .verify =
          [&] {
            const std::uint64_t ran = tally::take();
            return ran == per_worker * with.workers() ? "" : std::to_string(ran) + " tasks ran";
          },
  });
}

}  // namespace bench::planner
