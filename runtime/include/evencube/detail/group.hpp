#pragma once

#include <concepts>
#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/ended_tasks.hpp>
#include <evencube/detail/engine_fwd.hpp>
#include <evencube/detail/first_failure.hpp>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/time_limit.hpp>

namespace evencube::detail {

/// A group of tasks: the count of the unfinished ones (detail/group_count.hpp), and their first
/// exception. A group made inside a task has an owner, the worker that runs that task. The group
/// knows it as a runner: what only a worker can do is in src/wait/group-inl.hpp.
template <typename Policy>
class basic_group : public node {
 public:
  using runtime_type = runtime_of<Policy>;

  /// Makes a group outside of tasks, below `parent` if there is one.
  basic_group(runtime_type& runtime, const node* parent) noexcept
      : node{parent}, runtime_(&runtime), owner_(nullptr), quick_(nullptr), arena_(nullptr) {}
  /// Makes a group inside the task that `owner` runs; if null, outside of tasks.
  template <std::derived_from<runner> Owner>
  basic_group(runtime_type& runtime, Owner* owner) noexcept
      : node{owner != nullptr ? owner->running() : nullptr},
        runtime_(&runtime),
        owner_(owner),
        quick_(owner != nullptr && !owner->measures_costs() ? owner : nullptr),
        arena_(owner != nullptr ? owner->arena() : nullptr) {}
  basic_group(const basic_group&) = delete;
  basic_group& operator=(const basic_group&) = delete;
  ~basic_group() { failure_.forget(); }

  [[nodiscard]] runtime_type& its_runtime() const noexcept { return *runtime_; }
  /// The number of the group's runtime.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept;
  [[nodiscard]] runner* owner() const noexcept { return owner_; }
  /// The owner, if tasks of the group count for the hints given at their spawns; otherwise null.
  [[nodiscard]] runner* quick() const noexcept { return quick_; }
  /// The arena in which the tasks of the group run, or null. It is the arena in which the group was
  /// made, or into which it was put before it had tasks.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arena_; }
  void put_into(basic_arena<Policy>& arena) noexcept { arena_ = &arena; }
  [[nodiscard]] basic_group_count<Policy>& count() noexcept { return count_; }
  [[nodiscard]] first_failure& failure() noexcept { return failure_; }
  [[nodiscard]] stoppable& stop() noexcept { return stop_; }
  [[nodiscard]] const stoppable& stop() const noexcept { return stop_; }
  /// True if tasks of the group that have not begun must be dropped.
  [[nodiscard]] bool stopped() const noexcept {
    return stop_.check_stops && detail::stop_requested(*this, runtime_, stop_);
  }

  /// Counts one more task, spawned by `caller` (null: a thread outside).
  void add(const runner* caller) noexcept {
    if (caller != nullptr && caller == owner_) {
      count_.add_by_owner(1);
    } else {
      count_.add_by_others();
    }
  }

  /// Called when a task has ended, or could not be queued. `caller` is the worker that ran it, or
  /// null. The group may be gone when this returns.
  void finish(const runner* caller) noexcept {
    if (caller != nullptr && caller == owner_) {
      count_.add_by_owner(-1);
    } else {
      finish_by_others(1);
    }
  }

  /// Called when `tasks` tasks have ended on worker `caller`, whose unreported ends are `ended`.
  /// The end may be reported to the group later, when `caller` has run its other tasks of the group
  /// (invariant waiting.ends-later). Only for groups that outlive their count.
  void finish_later(const runner& caller, basic_ended_tasks<Policy>& ended,
                    std::int64_t tasks) noexcept {
    if (&caller == owner_) {
      count_.add_by_owner(-tasks);
    } else {
      ended.add(*this, tasks);
    }
  }

  /// Reports that `tasks` tasks run by other workers than the owner have finished.
  EVENCUBE_EXPORT void finish_by_others(std::int64_t tasks) noexcept;

  /// Blocks until no task is left, or until the time `deadline_ns` of the policy's clock. `caller`
  /// is a worker of any runtime, or null for a thread outside. Returns false if the time has passed
  /// and tasks are left. Throws evencube::error if the group has an owner other than the caller.
  EVENCUBE_EXPORT bool wait(runner* caller, std::int64_t deadline_ns = no_deadline);

 private:
  runtime_type* runtime_;
  runner* owner_;
  runner* quick_;
  basic_arena<Policy>* arena_;
  basic_group_count<Policy> count_;
  first_failure failure_;
  stoppable stop_;
};

}  // namespace evencube::detail
