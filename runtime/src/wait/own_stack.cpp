#include "wait/own_stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"

namespace evencube::detail {

constinit thread_local thread_roles roles_here;

namespace {

/// The known bounds of a thread's stack: its lowest address, and the number of bytes from there on
/// that count as short. The number is 0 if the system does not give the bounds.
struct stack_bounds {
  std::uintptr_t low = 0;
  std::size_t little = 0;
  bool known = false;
};
constinit thread_local stack_bounds bounds;

[[gnu::noinline]] void ask_for_bounds() noexcept {
  bounds.known = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* lowest = nullptr;
  std::size_t size = 0;
  std::size_t guard = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 &&
      pthread_attr_getguardsize(&attributes, &guard) == 0) {
    bounds.low = reinterpret_cast<std::uintptr_t>(lowest);
    bounds.little = guard + size / 4;
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

bool short_of_stack() noexcept {
  if (!bounds.known) ask_for_bounds();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // If the frame is below the lowest address, the thread runs on another stack. The difference is
  // huge then.
  return here - bounds.low < bounds.little;
}

bool called_on_new_stack(void (*call)(void*), void* context) {
  std::exception_ptr failure;
  thread_roles roles = roles_here;
  try {
    std::thread([&, self = current_worker] {
      current_worker = self;
      roles_here = roles;
      try {
        call(context);
      } catch (...) {
        failure = std::current_exception();
      }
      current_worker = nullptr;
      roles = roles_here;
      roles_here = {.own = &static_cast<engine&>(self->workers().host()), .ends = self};
    }).join();
    roles_here = roles;
  } catch (...) {
    return false;  // no thread could be made, or there is no memory for one
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  return true;
}

}  // namespace evencube::detail
