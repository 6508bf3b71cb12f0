#include <algorithm>
#include <utility>

#include <evencube/live_sampler.hpp>
#include <evencube/runtime.hpp>

#include "engine/engine.hpp"
#include "observe/counter_snapshot.hpp"
#include "observe/live_engines.hpp"

namespace evencube {
namespace {

double per_second(std::uint64_t count, double seconds) noexcept {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

detail::engine& engine_under(runtime& runtime) {
  return static_cast<detail::engine&>(detail::workers_of(runtime).host());
}

}  // namespace

double live_sample::tasks_per_second() const noexcept {
  std::uint64_t executed = 0;
  for (const auto* const kind : {&counters.workers, &counters.spare_workers}) {
    for (const worker_statistics& worker : *kind) executed += worker.executed;
  }
  return per_second(executed, seconds);
}

double live_sample::tasks_per_second(unsigned worker) const {
  return per_second(counters.workers.at(worker).executed, seconds);
}

// A worker that falls asleep while it is sampled can seem to have slept for longer than the window.
double live_sample::busy_share(unsigned worker) const {
  const double busy = counters.workers.at(worker).busy_seconds;
  return seconds > 0 ? std::clamp(busy / seconds, 0.0, 1.0) : 0;
}

double live_sample::busy_share() const {
  double sum = 0;
  for (unsigned k = 0; k < counters.workers.size(); ++k) sum += busy_share(k);
  return counters.workers.empty() ? 0 : sum / static_cast<double>(counters.workers.size());
}

live_sampler::live_sampler(runtime& runtime)
    : runtime_id_(detail::runtime_id_of(detail::workers_of(runtime))) {
  engine_under(runtime).check_alive();
  detail::counter_snapshot now = engine_under(runtime).snapshot();
  then_at_ = now.at;
  then_ = std::move(now.totals);
}

live_sample live_sampler::sample() {
  detail::engine& owner = detail::find_engine(runtime_id_, "live_sampler");
  const std::lock_guard lock(mutex_);
  detail::counter_snapshot now = owner.snapshot();
  const detail::counter_snapshot then{then_at_, std::move(then_)};
  live_sample made{static_cast<double>(now.at - then.at) * 1e-9, between(then, now), {}};
  then_at_ = now.at;
  then_ = std::move(now.totals);
  detail::all_workers& workers = owner.workers();
  for (std::uint32_t k = 0; k < workers.size(); ++k) {
    made.loads.push_back(static_cast<load_type>(workers.at(k).load()));
  }
  return made;
}

}  // namespace evencube
