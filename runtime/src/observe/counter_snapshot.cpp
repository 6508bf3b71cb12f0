#include "observe/counter_snapshot.hpp"

#include <algorithm>
#include <cstddef>

namespace evencube::detail {

statistics between(const counter_snapshot& then, const counter_snapshot& now) {
  statistics all = now.totals;
  const statistics& base = then.totals;
  const double elapsed = static_cast<double>(now.at - then.at) * 1e-9;
  for (const auto kind : {&statistics::workers, &statistics::spare_workers}) {
    for (std::size_t k = 0; k < (all.*kind).size(); ++k) {
      worker_statistics& here = (all.*kind)[k];
      const worker_statistics& before = (base.*kind)[k];
      here.executed -= before.executed;
      here.received -= before.received;
      here.parks -= before.parks;
      here.awake_seconds -= before.awake_seconds;
      here.wakeups_avoided -= before.wakeups_avoided;
      here.busy_seconds = std::max(elapsed + here.busy_seconds - before.busy_seconds, 0.0);
    }
  }
  all.tasks_moved -= base.tasks_moved;
  for (const auto moved : {&statistics::moved_by_dimension, &statistics::moved_by_rounds,
                           &statistics::moved_by_pulls, &statistics::moved_by_rescues}) {
    for (std::size_t i = 0; i < (all.*moved).size(); ++i) {
      (all.*moved)[i] -= (base.*moved)[i];
    }
  }
  all.rounds -= base.rounds;
  for (const auto count : request_counts) all.requests.*count -= base.requests.*count;
  all.steps_by_helpers -= base.steps_by_helpers;
  all.failed_rounds -= base.failed_rounds;
  all.failed_observations -= base.failed_observations;
  all.balancing_seconds -= base.balancing_seconds;
  all.balancer_thread_seconds -= base.balancer_thread_seconds;
  for (const auto sum : {&statistics::imbalance_before, &statistics::imbalance_after}) {
    const double since = all.*sum - base.*sum;
    all.*sum = all.rounds == 0 ? 0 : since / static_cast<double>(all.rounds);
  }
  return all;
}

}  // namespace evencube::detail
