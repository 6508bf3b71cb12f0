#pragma once

#include <evencube/detail/worker.hpp>

namespace evencube {

class blocking_scope;

namespace detail {

class engine;

/// What the calling thread is besides a worker. A wait that goes on on another thread's stack takes
/// it along (own_stack.cpp).
struct thread_roles {
  engine* holds = nullptr;           ///< the engine that it holds, the latest first
  const engine* tells = nullptr;     ///< whose observer it has called
  blocking_scope* scopes = nullptr;  ///< those that it is in, the innermost first
  engine* own = nullptr;             ///< the engine that made it
  /// Of such a thread that has left its loop, and runs what users have for the ends of threads: the
  /// worker that it was, which nobody else is; null: it has not.
  worker* ends = nullptr;
  bool takes_seat = false;  ///< that is worker 0, and others may be it meanwhile
  bool drains = false;      ///< what is queued there is to run, too: no wait stands below
};

extern thread_local constinit thread_roles roles_here;

}  // namespace detail

}  // namespace evencube
