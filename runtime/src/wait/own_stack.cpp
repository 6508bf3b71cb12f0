#include "wait/own_stack.hpp"

#include <cstdint>
#include <exception>
#include <thread>

#include "engine/engine.hpp"
#include "life/thread_roles.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {

constinit thread_local thread_roles roles_here;

namespace {

/// What this thread knows of its stack.
struct known_end {
  end_of_stack end;
  bool known = false;
};
constinit thread_local known_end here_ends;

[[gnu::noinline]] void ask_for_end(std::uintptr_t here) noexcept {
  here_ends = {end_of_own_stack(here), true};
}

}  // namespace

bool short_of_stack() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!here_ends.known) ask_for_end(here);
  // If the frame is below the lowest address, the thread runs on another stack. The difference is
  // huge then.
  return here - here_ends.end.low < here_ends.end.little;
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
