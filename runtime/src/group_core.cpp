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

void group_core::finish_elsewhere(std::uint32_t tasks) noexcept {
  // Read first: the group may be gone once its count is zero.
  scheduler* const cube = cube_;
  worker* const home = home_;
  const group_count::ending last = count_.end_elsewhere(tasks);
  if (last.home_sleeps) home->notify(signal_done);
  if (last.others_wait) cube->wake_waiters();
}

}  // namespace evencube::detail
