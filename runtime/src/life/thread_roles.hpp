#pragma once

#include <evencube/detail/worker.hpp>

namespace evencube {

class blocking_scope;

namespace detail {

class engine;

/// The roles of the calling thread besides that of a worker. A wait that continues on another
/// thread's stack takes them along (own_stack.cpp).
struct thread_roles {
  engine* holds = nullptr;           ///< the engine that the thread holds, the latest first
  const engine* tells = nullptr;     ///< the engine whose observer the thread has called
  blocking_scope* scopes = nullptr;  ///< the blocking scopes that it is in, the innermost first
  engine* own = nullptr;             ///< the engine that made the thread
  /// If a thread of an engine has left its loop, and runs code of the users for the ends of
  /// threads: the worker that it was, which no other thread is. Otherwise null.
  worker* ends = nullptr;
  bool takes_seat = false;  ///< `ends` is worker 0, and other threads may be it meanwhile
  /// False while the thread queues something that must not wait for room in the injector.
  bool waits_for_room = true;
  bool drains = false;  ///< tasks queued there run before the call returns; no wait is below
};

extern thread_local constinit thread_roles roles_here;

}  // namespace detail

}  // namespace evencube
