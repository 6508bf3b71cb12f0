#pragma once

#include <utility>

#include <evencube/runtime.hpp>

namespace evencube::detail {

/// Calls f() as a task of `rt`. Loops and their like are called again and again, and often short:
/// a thread from outside that was bound for each would go to the system three times for each.
template <typename F>
auto call_on(runtime& rt, F&& f) -> call_result_t<F> {
  return rt.run(std::forward<F>(f), {.pin = false});
}

}  // namespace evencube::detail
