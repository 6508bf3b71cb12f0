#pragma once

namespace evencube {

class blocking_scope;

namespace detail {

class engine;

/// What the calling thread is besides a worker. A wait that goes on on another thread's stack takes
/// it along (own_stack.cpp).
struct thread_roles {
  engine* holds = nullptr;           ///< the engine that it holds, the latest first
  const engine* plans = nullptr;     ///< whose balancer thread it is
  const engine* tells = nullptr;     ///< whose observer it has called
  blocking_scope* scopes = nullptr;  ///< those that it is in, the innermost first
};

extern thread_local constinit thread_roles roles_here;

}  // namespace detail

}  // namespace evencube
