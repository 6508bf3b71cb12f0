#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// Holds the first exception among the tasks of a group. Any thread may store one, and any thread
/// may take it; if several take, one gets it. The owner of this object calls `rethrow` or `forget`
/// in the end. There is no destructor that does so, because it would make every call with a loop
/// larger, too large to be inlined.
class first_failure {
 public:
  first_failure() noexcept {}
  first_failure(const first_failure&) = delete;
  first_failure& operator=(const first_failure&) = delete;
  ~first_failure() {}

  /// Stores the exception being handled if none is stored. Call from a handler.
  void keep() noexcept {
    std::uint32_t none = 0;
    // Elects the thread that writes. Acquire: pairs with the release in `rethrow_kept`.
    if (!state_.compare_exchange_strong(none, writing, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      return;
    }
    ::new (static_cast<void*>(&kept_)) std::exception_ptr(std::current_exception());
    // Release: pairs with the acquire in `rethrow`.
    state_.store(kept, std::memory_order_release);
  }

  /// True if an exception is stored: a hint that further work is in vain.
  [[nodiscard]] bool present() const noexcept {
    return state_.load(std::memory_order_relaxed) != 0;
  }

  /// Throws the stored exception and forgets it. Does nothing if there is none, or another thread
  /// took it.
  void rethrow() {
    if (present()) rethrow_kept();
  }
  /// Drops the stored exception, once no other thread can access it.
  void forget() noexcept {
    if (present()) kept_.~exception_ptr();
  }

 private:
  static constexpr std::uint32_t writing = 1;
  static constexpr std::uint32_t kept = 2;
  static constexpr std::uint32_t taking = 3;

  EVENCUBE_EXPORT void rethrow_kept();

  std::atomic<std::uint32_t> state_{0};
  union {
    std::exception_ptr kept_;  // exists while the state says so
  };
};

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

  /// Blocks until no task is left. The caller is `by`, a worker of any runtime, or a thread outside
  /// (null). Throws evencube::error if the group has an owner other than the caller.
  EVENCUBE_EXPORT void wait(worker_type* by);

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
