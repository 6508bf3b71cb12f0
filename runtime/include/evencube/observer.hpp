#pragma once

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// An observer is notified of what a runtime's workers do (`runtime_options::observer`). Each
/// function is called on the thread that the event concerns. Several threads may call a function
/// concurrently. The calls for one worker are made in the order of the events, each after the
/// previous call has returned. If waits are nested so deeply that they continue on another stack,
/// that stack's thread is the worker meanwhile. `worker_started` and `worker_stopped` are not
/// called for this thread.
///
/// During a call the thread counts as outside of the runtime, and `this_task::worker()` is empty.
/// The called function may count, read clocks, take locks that no thread holds for long, and set
/// thread-local variables. The worker continues when the function returns. The function should not
/// call the runtime: `stop`, `hold`, `run` and waits for tasks throw evencube::error, because the
/// worker is waiting for the observer. If the observer throws, the exception is dropped and counted
/// in `statistics::failed_observations`; the runtime continues as if the function had returned.
class EVENCUBE_EXPORT observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  /// The calling thread is now worker `worker`. For a thread of the runtime, this function is
  /// called when the thread starts, possibly before the runtime's constructor returns. Worker 0 is
  /// the thread that is inside `run`; between two calls of `run`, another thread is worker 0 while
  /// there is work. The calling thread is already bound and named.
  virtual void worker_started(unsigned /*worker*/) {}
  /// The calling thread is no longer worker `worker`. Every call of `worker_started` is followed by
  /// one of `worker_stopped` on the same thread.
  virtual void worker_stopped(unsigned /*worker*/) {}
  /// Worker `worker` is about to sleep, because it has no work or is waiting for tasks that other
  /// workers run. Not called when a worker is paused by `runtime::hold`.
  virtual void worker_parks(unsigned /*worker*/) {}
  /// Worker `worker` has stopped sleeping, because it was woken or has slept long enough.
  virtual void worker_wakes(unsigned /*worker*/) {}
};

/// An observer that is also notified of tasks, which costs two more virtual calls per task.
/// Runtimes without an observer of this type do not make these calls.
///
/// Here, a task is one that a worker takes from a queue, or the function that `runtime::run` calls
/// on worker 0. If no other worker takes half of a fork, or a part of a loop, this half or part
/// belongs to the task that created it. A task that runs while another task waits begins and ends
/// within the waiting task.
class EVENCUBE_EXPORT task_observer : public observer {
 public:
  /// Worker `worker` is about to begin a task, or to drop a task that was stopped before it began.
  virtual void task_begins(unsigned /*worker*/) {}
  /// A task has ended, possibly with an exception, or was dropped. Its waiters may have continued
  /// already.
  virtual void task_ended(unsigned /*worker*/) {}
};

}  // namespace evencube
