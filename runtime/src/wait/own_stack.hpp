#pragma once

#include <evencube/detail/worker.hpp>
#include <type_traits>

namespace evencube::detail {

/// Whether little is left of the calling thread's stack: less than a quarter. False on a stack that
/// is not the thread's own.
[[nodiscard]] bool short_of_stack() noexcept;

/// Calls `call(context)` on a new thread, which is the worker that the caller is until it returns;
/// the caller sleeps meanwhile. Throws what it throws. False if the system refuses the thread; then
/// nothing has been called.
bool called_on_new_stack(void (*call)(void*), void* context);

/// Where a wait may run tasks, and little is left of the stack: calls `f` on a new one. False if
/// there is enough, or nothing to be had; the caller goes on here then. The workers of tests have
/// stacks of their own.
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
