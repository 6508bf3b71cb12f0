#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/runtime.hpp>
#include <evencube/statistics.hpp>

namespace evencube {

/// The activity of a runtime's workers between two moments, and the loads at the second moment.
struct live_sample {
  /// The seconds between the two moments, by a clock that never goes back.
  double seconds = 0;
  /// The counters of the workers between the two moments.
  statistics counters;
  /// The load of each worker, as balancers see it: the quanta in its queue and on their way to the
  /// queue, plus one while the worker is busy. Spare workers have no load. While tasks run, the
  /// loads are slightly out of date.
  std::vector<load_type> loads;

  /// Returns the number of tasks per second that all workers, including spare workers, took from
  /// queues. 0 if no time has passed.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second() const noexcept;
  /// Returns the number of tasks per second that worker `worker` took from queues. 0 if no time has
  /// passed. Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second(unsigned worker) const;
  /// Returns the share of the time, in [0, 1], in which worker `worker` neither searched for work
  /// nor slept. 0 if no time has passed. Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share(unsigned worker) const;
  /// Returns the mean busy share of the workers, in [0, 1], without spare workers.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share() const;
};

/// Reads the counters and loads of a running runtime, for a program's own display, log or exporter.
/// <evencube/evencube.hpp> does not include this header.
///
/// Each sample covers the time since the previous sample. The first sample covers the time since
/// the sampler was made. Samplers are independent of one another, and `runtime::reset_stats` does
/// not affect them. A sampler makes no thread and is not part of the runtime. A sampler does work
/// only in calls of `sample`; the workers do nothing for it. A sampler may outlive its runtime;
/// `sample` then throws evencube::error.
class live_sampler {
 public:
  /// Makes a sampler of `runtime`. Any thread may make one, even while tasks run.
  EVENCUBE_EXPORT explicit live_sampler(runtime& runtime);
  live_sampler(const live_sampler&) = delete;
  live_sampler& operator=(const live_sampler&) = delete;

  /// Reads the counters of every worker and returns the changes since the last sample. Takes
  /// O(workers + dimensions) time. Stops no worker. Several threads may call `sample` concurrently;
  /// exactly one of their samples then covers each moment. Throws evencube::error if the runtime is
  /// gone.
  [[nodiscard]] EVENCUBE_EXPORT live_sample sample();

 private:
  std::uint64_t runtime_id_;
  std::mutex mutex_;
  std::int64_t then_at_;
  statistics then_;  // all counts up to the last sample
};

}  // namespace evencube
