#pragma once

#include <evencube/error.hpp>
#include <mutex>

#include "engine/workers.hpp"
#include "wait/waiting.hpp"

namespace evencube::detail {

template <typename Policy>
std::uint64_t basic_group<Policy>::runtime_id() const noexcept {
  return runtime_->sleepers().id;
}

template <typename Policy>
void basic_group<Policy>::finish_by_others(std::int64_t tasks) noexcept {
  // These are read first. The group may be gone once its count is zero, and its workers may be gone
  // once the count of a runtime is zero. The room belongs to the process.
  auto& room = runtime_->room();
  auto* const owner = static_cast<basic_worker<Policy>*>(owner_);
  const auto last = count_.end_by_others(tasks);
  if (last.owner_sleeps) owner->bell().raise(signal_done);
  if (last.others_wait) {
    const std::lock_guard lock(room);
    room.ring(this);
  }
}

[[noreturn]] inline void refuse_circle() {
  throw error(
      "wait: a task of this runtime is to wait for one of another, whose tasks wait for this "
      "one's; runtimes must not wait for each other in a cycle");
}

/// Throws evencube::error unless a task of the runtime `from` may wait for a task of the runtime
/// with number `to`.
template <typename Policy>
void permit_wait(basic_workers<Policy>& from, std::uint64_t to, bool keeps_worker = true) {
  if (from.sleepers().id == to) return;
  const std::lock_guard lock(from.room());
  if (!from.room().permit(from.sleepers().id, to, keeps_worker)) refuse_circle();
}

/// Throws evencube::error unless a worker of this runtime may wait for a future that may depend on
/// coroutines.
template <typename Policy>
void permit_wait_for_coroutines(basic_workers<Policy>& workers) {
  // Relaxed: the flag only becomes true, and the data that it stands for is under the lock.
  if (workers.sleepers().waits_for_coroutines.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(workers.room());
  if (workers.sleepers().waits_for_coroutines.load(std::memory_order_relaxed)) return;
  if (!workers.room().permit_wait_for_coroutines(workers.sleepers())) refuse_circle();
}

template <typename Policy>
bool basic_group<Policy>::wait(runner* caller, std::int64_t deadline_ns) {
  // Another thread may have added tasks since a wait ended before its time.
  const auto in_time = [&] { return deadline_ns == no_deadline || Policy::now() < deadline_ns; };
  auto* waiter = static_cast<basic_worker<Policy>*>(caller);
  runtime_->host().check_alive();
  if (owner_ != nullptr) {
    if (waiter != owner_) {
      throw error("task_group: wait() must be called by the task that made the group");
    }
    waiter->wait_for(*this, deadline_ns);
    return in_time() || count_.done_for_owner();
  }
  if (waiter != nullptr && &waiter->workers() != runtime_ &&
      waiter->workers().host().left_behind()) {
    waiter = nullptr;
  }
  if (waiter != nullptr) {
    permit_wait(waiter->workers(), runtime_->sleepers().id);
    waiter->wait_for(*this, deadline_ns);
  } else if (!count_.done_for_others()) {
    runtime_->host().check_not_holder("wait()");
    runtime_->host().check_not_own("wait()");
    runtime_->ensure_standby();
    external_wait<Policy> wait{*this};
    if (deadline_ns == no_deadline) {
      wait_outside(runtime_->room(), wait);
    } else {
      wait_outside(runtime_->room(),
                   limited_wait<Policy, external_wait<Policy>>{wait, deadline_ns});
    }
  }
  return in_time() || count_.done_for_others();
}

}  // namespace evencube::detail
