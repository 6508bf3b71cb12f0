#pragma once

#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/first_failure.hpp>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// A group of tasks: the count of the unfinished ones (detail/group_count.hpp), and their first
/// exception. A group made inside a task has an owner, the worker that runs that task.
template <typename Policy>
class basic_group : public node {
 public:
  using worker_type = basic_worker<Policy>;
  using workers_type = basic_workers<Policy>;

  /// With an owner, the group is made inside the task that the owner runs. Otherwise it is made
  /// outside, below `parent` if there is one.
  basic_group(workers_type& of, worker_type* owner, const node* parent = nullptr) noexcept
      : node{owner != nullptr ? owner->running() : parent},
        workers_(&of),
        owner_(owner),
        quick_(owner != nullptr && !owner->measures_costs() ? owner : nullptr),
        arena_(owner != nullptr ? owner->arena() : nullptr) {}
  basic_group(const basic_group&) = delete;
  basic_group& operator=(const basic_group&) = delete;
  ~basic_group() { failure_.forget(); }

  [[nodiscard]] workers_type& workers() const noexcept { return *workers_; }
  /// The number of the group's runtime.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept;
  [[nodiscard]] worker_type* owner() const noexcept { return owner_; }
  /// The owner, if tasks of the group count for the hints given at their spawns; otherwise null.
  [[nodiscard]] worker_type* quick() const noexcept { return quick_; }
  /// The arena in which the tasks of the group run, or null. It is the arena in which the group was
  /// made, or into which it was put before it had tasks.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arena_; }
  void put_into(basic_arena<Policy>& of) noexcept { arena_ = &of; }
  [[nodiscard]] basic_group_count<Policy>& count() noexcept { return count_; }
  [[nodiscard]] first_failure& failure() noexcept { return failure_; }
  [[nodiscard]] stoppable& stop() noexcept { return stop_; }
  [[nodiscard]] const stoppable& stop() const noexcept { return stop_; }
  /// True if tasks of the group that have not begun must be dropped.
  [[nodiscard]] bool stopped() const noexcept {
    return stop_.check_stops && detail::stop_requested(*this, workers_, stop_);
  }

  /// Counts one more task, spawned by `by` (null: a thread outside).
  void add(const worker_type* by) noexcept {
    if (by != nullptr && by == owner_) {
      count_.add_by_owner(1);
    } else {
      count_.add_by_others();
    }
  }

  /// Called when a task has ended, or could not be queued. `by` is the worker that ran it, or null.
  /// The group may be gone when this returns.
  void finish(const worker_type* by) noexcept {
    if (by != nullptr && by == owner_) {
      count_.add_by_owner(-1);
    } else {
      finish_by_others(1);
    }
  }

  /// Called when `tasks` tasks have ended on worker `by`. The end may be reported to the group
  /// later, when `by` has run its other tasks of the group (invariant waiting.ends-later). Only for
  /// groups that outlive their count.
  void finish_later(worker_type& by, std::int64_t tasks) noexcept {
    if (&by == owner_) {
      count_.add_by_owner(-tasks);
    } else {
      by.ended().add(*this, tasks);
    }
  }

  /// Reports that `tasks` tasks run by other workers than the owner have finished.
  EVENCUBE_EXPORT void finish_by_others(std::int64_t tasks) noexcept;

  /// Blocks until no task is left, or until the time `deadline_ns` of the policy's clock. The
  /// caller is `by`, a worker of any runtime, or a thread outside (null). Returns false if the time
  /// has passed and tasks are left. Throws evencube::error if the group has an owner other than the
  /// caller.
  EVENCUBE_EXPORT bool wait(worker_type* by, std::int64_t deadline_ns = no_deadline);

 private:
  workers_type* workers_;
  worker_type* owner_;
  worker_type* quick_;
  basic_arena<Policy>* arena_;
  basic_group_count<Policy> count_;
  first_failure failure_;
  stoppable stop_;
};

}  // namespace evencube::detail
