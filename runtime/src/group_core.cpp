#include <evencube/detail/group_core.hpp>

#include <evencube/error.hpp>
#include <utility>

#include "scheduler.hpp"

namespace evencube::detail {

void group_core::wait(worker* by) {
  if (home_ != nullptr && by != home_) {
    throw error("task_group: wait() must be called by the task that made the group");
  }
  if (by != nullptr) {
    by->wait_for(*this);
  } else {
    cube_->wait_outside(*this);
  }
}

void group_core::rethrow() {
  if (!failed_.load(std::memory_order_relaxed)) return;
  failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void group_core::finish_elsewhere() noexcept {
  // Read first: the group may be gone once its count is zero.
  scheduler* const cube = cube_;
  worker* const home = home_;
  // Release: pairs with the acquire in `done_*`: who sees zero sees what the tasks wrote. Acquire:
  // the last one passes on what the others released.
  const std::int64_t before = pending_.fetch_sub(one, std::memory_order_acq_rel);
  if (count_of(before) != 1) return;
  if ((before & home_sleeps) != 0) home->notify(signal_done);
  if ((before & others_wait) != 0) cube->wake_waiters();
}

bool group_core::begin_sleep() noexcept {
  const std::int64_t moved = local_ * one;
  local_ = 0;
  // Acquire: as in done_at_home.
  const std::int64_t before = pending_.fetch_add(moved + home_sleeps, std::memory_order_acq_rel);
  if (count_of(before + moved) != 0) return true;
  end_sleep();
  return false;
}

void group_core::end_sleep() noexcept {
  pending_.fetch_sub(home_sleeps, std::memory_order_relaxed);
}

bool group_core::announce_waiter() noexcept {
  // Acquire: as in done_elsewhere.
  return count_of(pending_.fetch_or(others_wait, std::memory_order_acq_rel)) != 0;
}

}  // namespace evencube::detail
