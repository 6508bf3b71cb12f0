#include "engine_runs.hpp"

#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "measurement.hpp"
#include "other_engines.hpp"

namespace evencube::cli {
namespace {

/// Threads that have nothing to do look for work for a while before they sleep, and would take part
/// in what is measured next.
constexpr std::chrono::milliseconds settling{20};

}  // namespace

engine_sample run_by_another(workloads::workload& work, const std::string& engine, unsigned threads,
                             bool verify) {
  engine_sample made;
  work.reset();
  {
    const auto loop = loop_of(engine, threads);
    loop(threads, [](std::size_t) {});  // every thread is there
    made.seconds = seconds_of([&] { work.run_by(loop, threads); });
  }
  if (verify) {
    made.check = work.verify();
    if (!made.check->passed)
      made.check->detail = fmt::format("by {}: {}", engine, made.check->detail);
  }
  std::this_thread::sleep_for(settling);
  return made;
}

}  // namespace evencube::cli
