#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

#include "progress_bar.hpp"

namespace evencube::cli {

/// One parallel run.
struct sample {
  double seconds = 0;
  std::uint64_t tasks = 0;
  statistics counters;
  recording take;  ///< empty unless recorded
  std::optional<workloads::verification> check;
};

/// Wall time of `work`, in seconds.
template <typename Work>
[[nodiscard]] double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Wall time of one run of the serial twin, in seconds.
[[nodiscard]] double time_serial(workloads::workload& work);

/// One run on the runtime with its own statistics. What the run left of the one before is forgotten
/// first; neither that nor the check, nor beginning and ending a recording, is part of the time.
[[nodiscard]] sample run_once(workloads::workload& work, runtime& workers, bool verify,
                              bool record = false);

/// Fraction of `tasks` that the workers have finished since the statistics were reset; for a
/// progress_bar.
[[nodiscard]] double finished_share(const runtime& workers, std::uint64_t tasks);

/// The sample of median time (the faster of the two in the middle); with a failed check, if any run
/// failed, so that no failure hides behind a good run. `samples` must not be empty.
[[nodiscard]] sample median_sample(std::vector<sample> samples);

/// The same for times alone.
[[nodiscard]] double median_time(std::vector<double> seconds);

}  // namespace evencube::cli
