// The twin of ../sweep.cpp for Windows, which has no `fork`: all programs run in this process. If
// one crashes, nothing tells its seed; the watchdog's report and that of a failure do.
#include "sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "runner.hpp"

namespace evencube::programs {

namespace {

using clock = std::chrono::steady_clock;

std::chrono::milliseconds patience_of(std::chrono::milliseconds asked) {
  return asked.count() > 0 ? asked : usual_patience();
}

}  // namespace

sweep_result sweep(const sweep_options& options) {
  sweep_result result;
  features with = options.with;
  with.children = false;
  const auto end = clock::now() + options.time;
  for (const unsigned workers : options.workers) {
    runner all(patience_of(options.patience), options.mistake_at);
    for (std::int64_t i = 0; i < options.programs; ++i) {
      if (options.time.count() > 0 && clock::now() > end) break;
      const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(i);
      if (!all.run(generate(seed, workers, with))) {
        result.failed = finding{seed, workers, wrong};
        return result;
      }
      ++result.programs;
    }
  }
  return result;
}

int run_repeatedly(const program& p, std::int64_t runs, std::chrono::milliseconds time,
                   std::chrono::milliseconds patience, bool /*silent*/) {
  runner again(patience_of(patience), {});
  const auto end = clock::now() + time;
  for (std::int64_t i = 0; i < runs && clock::now() < end; ++i) {
    if (!again.run(p)) return wrong;
  }
  return 0;
}

}  // namespace evencube::programs
