#pragma once

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Is told what the workers of a runtime do: `runtime_options::observer`. Each function is called
/// on the thread that it is about, by several threads at once if they have something to tell at
/// once, and of one worker in the order of what happens, each call after the one before it. Where
/// waits stand so deep that they go on on another stack, its thread is the worker meanwhile, and is
/// not told of as started or stopped.
///
/// While one is called the thread counts as outside of the runtime: `this_task::worker()` is
/// nothing. It may count, read clocks, take locks that nobody holds for long, set variables of the
/// thread; the worker goes on when it returns. It should not call the runtime. `stop`,
/// `hold`, `run` and waits for tasks throw evencube::error there: the worker waits for the
/// observer. What it throws is dropped, and counted in
/// `statistics::failed_observations`; the runtime goes on as if it had returned.
class EVENCUBE_EXPORT observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  /// The thread is worker k from now on: one of the runtime's own when it begins, which may be
  /// before the runtime's constructor returns; as worker 0, whoever calls `run` or, between two
  /// such calls, a thread that takes its place as long as there is work. It is bound and named.
  virtual void worker_started(unsigned /*worker*/) {}
  /// It is no longer. To every start there is one end, on the same thread.
  virtual void worker_stopped(unsigned /*worker*/) {}
  /// Worker k lies down to sleep: it has no work, or waits for tasks that others run. (Who stands
  /// still for `runtime::hold` does not.)
  virtual void worker_parks(unsigned /*worker*/) {}
  /// It goes on: it was called, or has slept long enough.
  virtual void worker_wakes(unsigned /*worker*/) {}
};

/// Is told of the tasks, too. Tasks then cost two virtual calls more; a runtime whose observer is
/// none of these, or that has none, pays nothing for them.
///
/// A task here is what a worker takes from a queue, and what `runtime::run` calls on worker 0. The
/// half of a fork, or the part of a loop, that nobody takes is part of the task that made it. A
/// task that runs while another one waits begins and ends within that.
class EVENCUBE_EXPORT task_observer : public observer {
 public:
  /// Worker k is about to begin a task, or to drop one that was stopped before it began.
  virtual void task_begins(unsigned /*worker*/) {}
  /// It has ended, also by an exception, or has been dropped. Who waits for it may go on already.
  virtual void task_ended(unsigned /*worker*/) {}
};

}  // namespace evencube
