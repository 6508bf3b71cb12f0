#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/runtime.hpp>
#include <evencube/statistics.hpp>

namespace evencube {

/// What the workers of a runtime did between two moments, and what they hold at the second one.
struct live_sample {
  /// Between the two moments, by a clock that never goes back.
  double seconds = 0;
  /// What happened in between.
  statistics counters;
  /// The load of each worker as balancers see it: quanta in its queue and on their way to it, and
  /// one while it is busy. Spare workers have none. A little behind while tasks run.
  std::vector<load_type> loads;

  /// Tasks that all workers, spare ones too, took from queues, in a second. 0 for no time.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second() const noexcept;
  /// The same of one worker. Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double tasks_per_second(unsigned worker) const;
  /// Of the time, how much worker k did not spend looking for work or asleep, in [0, 1]. 0 for no
  /// time. Throws std::out_of_range if there is no such worker.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share(unsigned worker) const;
  /// The mean over the workers; spare ones do not count.
  [[nodiscard]] EVENCUBE_EXPORT double busy_share() const;
};

/// Tells what a runtime does while it does it: for a program's own display, log or exporter. Not
/// among what <evencube/evencube.hpp> includes.
///
/// Each sample holds what happened since the one before, the first what happened since the sampler
/// was made. Samplers know nothing of one another, and `runtime::reset_stats` does not touch them.
/// A sampler makes no thread and has no part in the runtime: without a call of `sample` nothing is
/// done, and the workers do not know of it. It may outlive its runtime; `sample` throws
/// evencube::error then.
class live_sampler {
 public:
  /// From any thread, while tasks run or not.
  EVENCUBE_EXPORT explicit live_sampler(runtime& of);
  live_sampler(const live_sampler&) = delete;
  live_sampler& operator=(const live_sampler&) = delete;

  /// Reads the counters of every worker: O(workers + dimensions), stops nobody. May be called by
  /// several threads at once: every moment is then in the sample of one of them.
  [[nodiscard]] EVENCUBE_EXPORT live_sample sample();

 private:
  std::uint64_t runtime_id_;
  std::mutex mutex_;
  std::int64_t then_at_;
  statistics then_;  // all that was ever counted, at the last sample
};

}  // namespace evencube
