#pragma once

#include <functional>
#include <utility>

#include <unsupported/Eigen/CXX11/ThreadPool>

#include <evencube/error.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube {

/// A thread pool that runs Eigen's tasks on a runtime. The program provides Eigen 3.4:
///
///     evencube::eigen_pool pool(rt);
///     Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
///     c.device(device) = a.contract(b, dimensions);
///
/// Functions that Eigen schedules become high-priority tasks. They wait in a list from which any
/// worker may take them, because an Eigen thread goes on computing after queueing work for others.
///
/// Eigen waits by blocking its thread, which the runtime does not notice. So make such assignments
/// on threads outside of the runtime, or, in tasks, within `evencube::blocking`, which lends the
/// task's place to a spare worker (`runtime_options::spare_workers`). Otherwise, if all workers
/// wait for Eigen simultaneously, they wait for ever, as with Eigen's own pool.
class eigen_pool final : public Eigen::ThreadPoolInterface {
 public:
  /// Makes a pool on the runtime `of`. Throws evencube::error if called in a runtime's task,
  /// because a pool must be made outside of tasks.
  explicit eigen_pool(runtime& of) : of_(of), scheduled_(outside(of)) {}
  eigen_pool(const eigen_pool&) = delete;
  eigen_pool& operator=(const eigen_pool&) = delete;
  /// Waits for the scheduled functions. Destroy the pool before its runtime, and not in one of the
  /// runtime's tasks.
  ~eigen_pool() override = default;

  /// Queues f() as a task; any thread may call this. If f throws, the program ends, because
  /// otherwise Eigen's wait would never end. Throws std::bad_alloc.
  void Schedule(std::function<void()> f) override {
    scheduled_.spawn([f = std::move(f)]() mutable noexcept { f(); }, {.priority = priority::high});
  }
  /// Stops the pool: functions that have not begun, and functions scheduled later, are dropped.
  void Cancel() override { scheduled_.request_stop(); }
  /// Returns the number of workers, including the spare ones.
  int NumThreads() const override { return static_cast<int>(of_.workers() + of_.spare_workers()); }
  /// Returns the number of the calling worker, or -1 on other threads.
  int CurrentThreadId() const override {
    return this_task::runtime() == &of_ ? static_cast<int>(*this_task::worker()) : -1;
  }

 private:
  /// Refuses calls from tasks, because only the task that made the group could wait for it.
  static runtime& outside(runtime& of) {
    if (this_task::runtime() != nullptr) {
      throw error("eigen_pool: it is made by a thread outside, not in a task");
    }
    return of;
  }

  runtime& of_;
  task_group scheduled_;
};

}  // namespace evencube
