#pragma once

#include <utility>

#include <evencube/runtime.hpp>
#include <evencube/where.hpp>

namespace evencube::detail {

/// Calls f() in a runtime or an arena, without binding the calling thread. Loops and other
/// algorithms are called again and again, and often take little time: binding a thread from outside
/// would cost three system calls for each of them.
template <rule::names_a_place Place, typename F>
auto call_on(Place& place, F&& f) -> call_result_t<F> {
  return place.run(std::forward<F>(f), {.pin = false});
}

}  // namespace evencube::detail
