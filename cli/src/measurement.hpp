#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

#include "console.hpp"

namespace evencube::cli {

/// The check of a result; nothing where none was asked for.
using checked = std::optional<workloads::verification>;

/// False only where a check failed.
[[nodiscard]] inline bool not_failed(const checked& check) { return !check || check->passed; }

/// Whether the check passed; null where there was none.
[[nodiscard]] json to_json(const checked& check);

/// "verified", "WRONG" or "not verified".
[[nodiscard]] std::string verdict_on(const checked& check);

/// The verdict, followed by the text of the check.
[[nodiscard]] std::string check_text(const checked& check);

/// Where the check failed, its text names who did the work.
void blame(checked& check, const std::string& whom);

/// Throws std::runtime_error where the check failed. `writes`: whether the results were to be
/// written to a file.
void require_good(const checked& check, bool writes);

/// One parallel run.
struct sample {
  double seconds = 0;
  std::uint64_t tasks = 0;
  statistics counters;
  recording take;  ///< empty unless recorded
  checked check;
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
template <typename Sample>
[[nodiscard]] Sample median_sample(std::vector<Sample> samples) {
  const auto failed =
      std::ranges::find_if(samples, [](const Sample& one) { return !not_failed(one.check); });
  const checked failure = failed == samples.end() ? std::nullopt : failed->check;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::seconds);
  if (failure) middle->check = failure;
  return std::move(*middle);
}

/// The same for times alone.
[[nodiscard]] double median_time(std::vector<double> seconds);

}  // namespace evencube::cli
