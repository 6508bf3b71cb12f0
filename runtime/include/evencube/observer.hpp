#pragma once

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// An observer is notified of what the workers of a runtime do (`runtime_options::observer`). Each
/// function is called on the thread that the call is about. Several threads may call a function
/// concurrently. The calls for one worker come in the order of the events, each after the previous
/// call has returned. If waits are nested so deeply that they continue on another stack, the thread
/// of that stack is the worker meanwhile. No `worker_started` or `worker_stopped` is called for
/// this thread.
///
/// During a call the thread counts as outside of the runtime, and `this_task::worker()` is empty.
/// The function may count, read clocks, take locks that no thread holds for long, and set
/// thread-local variables. The worker continues when the function returns. The function should not
/// call the runtime: `stop`, `hold`, `run` and waits for tasks throw evencube::error, because the
/// worker waits for the observer. An exception of the observer is dropped and counted in
/// `statistics::failed_observations`; the runtime continues as if the function had returned.
class EVENCUBE_EXPORT observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  /// The calling thread is worker `worker` from now on. For a thread of the runtime, this call
  /// comes when the thread begins, possibly before the runtime's constructor returns. Worker 0 is a
  /// thread that calls `run`. Between two calls of `run`, another thread is worker 0 while there is
  /// work. The calling thread is bound and named already.
  virtual void worker_started(unsigned /*worker*/) {}
  /// The calling thread is no longer worker `worker`. Every `worker_started` has one
  /// `worker_stopped`, on the same thread.
  virtual void worker_stopped(unsigned /*worker*/) {}
  /// Worker `worker` goes to sleep, because it has no work or waits for tasks that other workers
  /// run. Not called when a worker stands still for `runtime::hold`.
  virtual void worker_parks(unsigned /*worker*/) {}
  /// Worker `worker` continues, because it was woken or has slept long enough.
  virtual void worker_wakes(unsigned /*worker*/) {}
};

/// An observer that is notified of tasks, too. Each task then costs two more virtual calls.
/// Runtimes without an observer of this type do not make these calls.
///
/// Here, a task is a task that a worker takes from a queue, or the function that `runtime::run`
/// calls on worker 0. If no other worker takes a half of a fork, or a part of a loop, this half or
/// part belongs to the task that made it. A task that runs while another task waits begins and ends
/// within the waiting task.
class EVENCUBE_EXPORT task_observer : public observer {
 public:
  /// Worker `worker` is about to begin a task, or to drop a task that was stopped before it began.
  virtual void task_begins(unsigned /*worker*/) {}
  /// The task has ended, possibly with an exception, or was dropped. Waiters of the task may have
  /// continued already.
  virtual void task_ended(unsigned /*worker*/) {}
};

}  // namespace evencube
