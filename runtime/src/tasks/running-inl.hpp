#pragma once

#include <algorithm>
#include <evencube/detail/future_core.hpp>
#include <evencube/task_group.hpp>
#include <utility>

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "tasks/task_profiles.hpp"

// How a worker runs a task, and measures the time of some of them
// (runtime/src/tasks/measured_costs.md).

namespace evencube::detail {

template <typename Policy>
void basic_worker<Policy>::run(slot_word word) noexcept {
  if (task_of(word)->parent_ != ended_.group()) ended_.tell();
  if (expects_arenas()) [[unlikely]] {
    run_checked(word);
  } else {
    run_plainly(word);
  }
}

template <typename Policy>
void basic_worker<Policy>::run_plainly(slot_word word) noexcept {
  if ((word & future_bit) != 0) {
    auto& future = static_cast<basic_future_core<Policy>&>(*task_of(word));
    if (future.begin()) {
      worker_counters::add(counters_.executed, std::uint64_t{1});
      execute(future, queue().head_index());
    }
    future.drop();
    return;
  }
  // Counted before the task ends: a thread that waits for the last task of a group must find it
  // counted.
  worker_counters::add(counters_.executed, std::uint64_t{1});
  execute(*task_of(word), queue().head_index());
}

template <typename Policy>
inline void basic_worker<Policy>::execute(task& t, std::uint32_t base,
                                          const series_type* series) noexcept {
  frame mine{&t, base, stack_.innermost(), series};
  stack_.enter(mine);
  if (checks_.before_begin()) note_begin(t);
  Policy::execute(t, *this);
  // A recording may have begun or ended meanwhile.
  if (checks_.noted()) note_end();
  stack_.leave(mine);
}

template <typename Policy>
bool basic_worker<Policy>::observes_tasks() const noexcept {
  return workers_->settings().observes_tasks;
}

template <typename Policy>
void basic_worker<Policy>::note_begin(const task& begun) noexcept {
  if (checks_.watches_marks()) compare_with_marks();
  if (log() != nullptr) log()->add(event_kind::started, &begun);
  if (observes_tasks()) workers_->host().observe(observed::task_begins, index_);
  if (checks_.wants_sample() && !checks_.sampler().under_way()) {
    begin_sample(begun);
  }
}

template <typename Policy>
void basic_worker<Policy>::note_end() noexcept {
  if (checks_.sampler().measures(stack_.innermost())) end_sample();
  if (log() != nullptr) log()->add(event_kind::ended, nullptr);
  if (observes_tasks()) workers_->host().observe(observed::task_ended, index_);
}

// Lets one of the next tasks be measured, or the first task of an unknown function.
template <typename Policy>
void basic_worker<Policy>::sample_soon() noexcept {
  if (checks_.wants_sample()) return;
  checks_.sampler().draw(search_.draw());
  checks_.want_sample();
}

template <typename Policy>
void basic_worker<Policy>::begin_sample(const task& begun) noexcept {
  measured_profile* const profile = find_profile(begun.execute_);
  if (checks_.sampler().passes_over(profile != nullptr && !profile->known())) return;
  if (profile == nullptr) {
    checks_.want_no_sample();
    checks_.sampler().miss(Policy::now());
    return;
  }
  const std::uint32_t hint = profile->kind() == profiled::future
                                 ? static_cast<const basic_future_core<Policy>&>(begun).hint()
                                 : static_cast<const spawned_task&>(begun).hint();
  checks_.sampler().begin(stack_.innermost(), profile, hint, work_so_far(), &Policy::now);
}

// The clock is read first, so that only time before that counts for the task.
template <typename Policy>
void basic_worker<Policy>::end_sample() noexcept {
  const std::int64_t now = Policy::now();
  const auto next = checks_.sampler().end(
      now, work_so_far(), [this](measured_profile& profile, std::int64_t took, std::uint32_t hint) {
        const float relative = profile.add(took, hint);
        worker_counters::add(counters_.slowness,
                             (relative - counters_.slowness.load(std::memory_order_relaxed)) / 16);
      });
  if (next == cost_sampler::next::later) {
    checks_.want_no_sample();
  }
}

template <typename Policy>
cost_sampler::moment basic_worker<Policy>::work_so_far() const noexcept {
  return {counters_.executed.load(std::memory_order_relaxed),
          counters_.idle_ns.load(std::memory_order_relaxed)};
}

template <typename Policy>
void basic_worker<Policy>::run_at_once(slot_word word, task_label label) noexcept {
  stock_.begin_at_once();
  if (log() != nullptr) log()->add_spawn(event_kind::spawned, word, label);
  run(word);
  ended_.tell();
  if (stock_.end_at_once()) bound_quiet();
}

template <typename Policy>
void basic_worker<Policy>::bound_quiet() noexcept {
  stock_.bound_quiet();
}

template <typename Policy>
void basic_worker<Policy>::note_end_of_unchecked() noexcept {
  if (checks_.noted()) note_end();
}

// Runs the newest private tasks, one after another, as long as no thread needs the attention of
// this worker, goes_on() is true and the next task is wanted(task). If there are many small tasks,
// nearly all of them run here. Futures do not, because a waiter may have begun them, and neither do
// forks. If `series` is given, other tasks may follow a task without a return to this loop
// (`begin_next_of_series`).
template <typename Policy>
template <typename GoesOn, typename Wanted>
bool basic_worker<Policy>::run_series(GoesOn&& goes_on, Wanted&& wanted,
                                      series_type* series) noexcept {
  bool ran = false;
  while (!inbox().bell().raised() && !lifeline().asked() && checks_.none() && goes_on()) {
    task* const next =
        queue().pop_if([&](const task& t, std::uint32_t /*place*/) { return wanted(t); });
    if (next == nullptr) break;
    const std::uint32_t head = queue().head_index();
    if (static_cast<std::int32_t>(head - stack_.innermost()->base) < 0) lower_bases();
    if (series != nullptr) series->floor = stack_.innermost()->base;
    if (next->parent_ != ended_.group()) ended_.tell();
    worker_counters::add(counters_.executed, std::uint64_t{1});
    execute(*next, head, series);
    ran = true;
  }
  return ran;
}

}  // namespace evencube::detail
