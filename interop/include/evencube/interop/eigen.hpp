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

/// Eigen's pool of threads on a runtime, for Eigen 3.4, which is the program's to find:
///
///   evencube::eigen_pool pool(rt);
///   Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
///   c.device(device) = a.contract(b, dimensions);
///
/// What Eigen schedules are tasks of high priority: they wait in a list from which any worker takes
/// them, for Eigen lets a thread compute on after it has queued what others are to do.
///
/// Eigen waits by blocking its thread, of which the runtime knows nothing. So assign to such a
/// device from threads outside; a task does it within `evencube::blocking`, which lends its place
/// to a spare worker (`runtime_options::spare_workers`). Without, as many tasks as there are
/// workers that wait for Eigen at the same moment would wait for ever, as they do with Eigen's own
/// pool.
class eigen_pool final : public Eigen::ThreadPoolInterface {
 public:
  /// Throws evencube::error in a task of a runtime: the pool belongs outside.
  explicit eigen_pool(runtime& of) : of_(of), scheduled_(outside(of)) {}
  eigen_pool(const eigen_pool&) = delete;
  eigen_pool& operator=(const eigen_pool&) = delete;
  /// Waits for what is scheduled. Before its runtime, and not in one of its tasks.
  ~eigen_pool() override = default;

  /// Queues f() as a task; from any thread. The program ends if it throws, for nobody would end
  /// Eigen's wait. Throws std::bad_alloc.
  void Schedule(std::function<void()> f) override {
    scheduled_.spawn([f = std::move(f)]() mutable noexcept { f(); }, {.priority = priority::high});
  }
  /// Of what is scheduled, now or later, nothing begins any more.
  void Cancel() override { scheduled_.request_stop(); }
  /// The workers, the spare ones included.
  int NumThreads() const override { return static_cast<int>(of_.workers() + of_.spare_workers()); }
  /// The number of the worker that calls; -1 outside.
  int CurrentThreadId() const override {
    return this_task::runtime() == &of_ ? static_cast<int>(*this_task::worker()) : -1;
  }

 private:
  /// A group that a task made could be waited for by that task alone.
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
