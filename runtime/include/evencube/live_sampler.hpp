#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/runtime.hpp>
#include <evencube/statistics.hpp>

namespace evencube {

/// What a runtime's workers did between two points in time, and their loads at the later one.
struct live_sample {
  /// The time between the two points in seconds, by a monotonic clock.
  double seconds = 0;
  /// How much the runtime's counters changed between the two points.
  statistics counters;
  /// The load of each worker, as balancers see it: the number of quanta in its queue and on their
  /// way there, plus one while the worker is busy. Spare workers have no load. While tasks are
  /// running, the loads are slightly out of date.
  std::vector<load_type> loads;

  /// Returns how many tasks per second all workers, including spare workers, took from queues; 0 if
  /// no time has passed.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second() const noexcept;
  /// Returns how many tasks per second worker `worker` took from queues; 0 if no time has passed.
  /// Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second(unsigned worker) const;
  /// Returns the fraction of the time, in [0, 1], in which worker `worker` neither searched for
  /// work nor slept; 0 if no time has passed. Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share(unsigned worker) const;
  /// Returns the workers' mean busy share, in [0, 1], not counting spare workers.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share() const;
};

/// Reads the counters and loads of a running runtime, for a program's own display, log or exporter.
/// <evencube/evencube.hpp> does not include this header.
///
/// Each sample covers the time since the previous sample. The first covers the time since the
/// sampler was created. Samplers are independent of one another, and `runtime::reset_stats` does
/// not affect them. A sampler is not part of the runtime and creates no thread. It works only
/// inside calls of `sample`, and adds no work to the workers. A sampler may outlive its runtime;
/// `sample` then throws evencube::error.
class live_sampler {
 public:
  /// Creates a sampler for `runtime`. Any thread may create one, even while tasks are running.
  EVENCUBE_EXPORT explicit live_sampler(runtime& runtime);
  live_sampler(const live_sampler&) = delete;
  live_sampler& operator=(const live_sampler&) = delete;

  /// Reads every worker's counters and returns the changes since the last sample. Takes O(workers +
  /// dimensions) time and stops no worker. Several threads may call `sample` concurrently; their
  /// samples then cover the time without gaps or overlaps. Throws evencube::error if the runtime no
  /// longer exists.
  [[nodiscard]] EVENCUBE_EXPORT live_sample sample();

 private:
  std::uint64_t runtime_id_;
  std::mutex mutex_;
  std::int64_t then_at_;
  statistics then_;  // all counts up to the last sample
};

}  // namespace evencube
