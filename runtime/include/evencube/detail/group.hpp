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

/// The first exception among the tasks of a group, and that there is one. Any thread keeps, any
/// thread takes; of several that take, one gets it. Who has one calls `rethrow` or `forget` at the
/// end: a destructor would make every call with a loop a larger one, too large to be inlined.
class first_failure {
 public:
  first_failure() noexcept {}
  first_failure(const first_failure&) = delete;
  first_failure& operator=(const first_failure&) = delete;
  ~first_failure() {}

  /// Keeps the exception being handled if none is kept. Call from a handler.
  void keep() noexcept {
    std::uint32_t none = 0;
    // Elects who writes. Acquire: pairs with the release in `rethrow_kept`.
    if (!state_.compare_exchange_strong(none, writing, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      return;
    }
    ::new (static_cast<void*>(&kept_)) std::exception_ptr(std::current_exception());
    // Release: pairs with the acquire in `rethrow`.
    state_.store(kept, std::memory_order_release);
  }

  /// Whether something is kept: a hint that the rest is in vain.
  [[nodiscard]] bool present() const noexcept {
    return state_.load(std::memory_order_relaxed) != 0;
  }

  /// Throws what is kept, and forgets it; nothing if another thread took it.
  void rethrow() {
    if (present()) rethrow_kept();
  }
  /// Drops what is kept, when nobody else can be at it any more.
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
    std::exception_ptr kept_;  // while the state says so
  };
};

/// A group of tasks: the count of the unfinished ones (detail/group_count.hpp), and their first
/// exception. A group made inside a task has an owner: the worker that runs that task.
template <typename Policy>
class basic_group : public node {
 public:
  using worker_type = basic_worker<Policy>;
  using workers_type = basic_workers<Policy>;

  /// With an owner: made inside the task that it runs; else outside, below `parent` if there is
  /// one.
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
  /// The owner, if what its tasks count for is what their makers say; else null.
  [[nodiscard]] worker_type* quick() const noexcept { return quick_; }
  /// Where its tasks run; null: in none. That in which it was made, or was put before it had tasks.
  [[nodiscard]] basic_arena<Policy>* arena() const noexcept { return arena_; }
  void put_into(basic_arena<Policy>& of) noexcept { arena_ = &of; }
  [[nodiscard]] basic_group_count<Policy>& count() noexcept { return count_; }
  [[nodiscard]] first_failure& failure() noexcept { return failure_; }
  [[nodiscard]] stoppable& stop() noexcept { return stop_; }
  [[nodiscard]] const stoppable& stop() const noexcept { return stop_; }
  /// Whether its tasks that have not begun are to be dropped.
  [[nodiscard]] bool stopped() const noexcept {
    return stop_.check_stops && detail::stop_requested(*this, workers_, stop_);
  }

  /// One more task, spawned by `by` (null: a thread outside).
  void add(const worker_type* by) noexcept {
    if (by != nullptr && by == owner_) {
      count_.add_by_owner(1);
    } else {
      count_.add_by_others();
    }
  }

  /// A task has ended, or was never queued. `by` is who ran it, or null. The group may be gone when
  /// this returns.
  void finish(const worker_type* by) noexcept {
    if (by != nullptr && by == owner_) {
      count_.add_by_owner(-1);
    } else {
      finish_by_others(1);
    }
  }

  /// The same of so many tasks, but the group may learn it later, when `by` has run what else it
  /// has of the group (invariant waiting.ends-later). Only if the group outlives its count.
  void finish_later(worker_type& by, std::int64_t tasks) noexcept {
    if (&by == owner_) {
      count_.add_by_owner(-tasks);
    } else {
      by.ended().add(*this, tasks);
    }
  }

  /// So many tasks that others than the owner ran have ended.
  EVENCUBE_EXPORT void finish_by_others(std::int64_t tasks) noexcept;

  /// Blocks until no task is left; the caller is `by`, a worker of whatever runtime, or a thread
  /// outside. Throws evencube::error if the group has an owner that is not the caller.
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
