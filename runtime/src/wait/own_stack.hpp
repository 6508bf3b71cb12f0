#pragma once

#include <evencube/detail/engine_fwd.hpp>
#include <type_traits>

namespace evencube::detail {

/// True if less than a quarter of the calling thread's stack is left. False on a stack that is not
/// the thread's own.
[[nodiscard]] bool short_of_stack() noexcept;

/// Calls `call(context)` on a new thread, which acts as the worker of the calling thread until the
/// call returns. The calling thread sleeps meanwhile. Throws what `call` throws. Returns false,
/// with nothing called, if the system refuses to make a thread.
bool called_on_new_stack(void (*call)(void*), void* context);

/// Called where a wait may run tasks: if the stack is short, calls `f` on a new one. Returns false
/// if the stack is not short or no new one could be made; then the caller goes on here. The workers
/// of tests have other stacks, so for them this does nothing.
template <typename Policy, typename F>
bool done_elsewhere(F&& f) {
  if constexpr (std::is_same_v<Policy, std_policy>) {
    if (!short_of_stack()) return false;
    return called_on_new_stack(
        [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); }, &f);
  } else {
    return false;
  }
}

}  // namespace evencube::detail
