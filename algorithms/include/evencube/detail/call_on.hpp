#pragma once

#include <utility>

#include <evencube/runtime.hpp>

namespace evencube::detail {

/// Calls f() as a task of `rt`, without binding the calling thread. Loops and other algorithms are
/// called again and again, and often take little time: binding a thread from outside would cost
/// three system calls for each of them.
template <typename F>
auto call_on(runtime& rt, F&& f) -> call_result_t<F> {
  return rt.run(std::forward<F>(f), {.pin = false});
}

}  // namespace evencube::detail
