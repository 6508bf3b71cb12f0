#pragma once

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace this_task_arena {

inline constexpr int not_initialized = -2;

[[nodiscard]] inline int current_thread_index() noexcept {
  const auto worker = this_task::worker();
  return worker ? static_cast<int>(*worker) : not_initialized;
}
[[nodiscard]] inline int max_concurrency() {
  return static_cast<int>(this_task::runtime() != nullptr ? this_task::workers()
                                                          : default_runtime().workers());
}
/// A wait in EvenCube runs nothing but what it waits for, isolated or not.
template <typename F>
auto isolate(const F& f) -> decltype(f()) {
  return f();
}

}  // namespace this_task_arena

}  // namespace evencube::tbb
