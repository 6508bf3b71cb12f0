#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace detail {

/// What `global_control` says of the default runtime; the runtime, once somebody has needed it.
struct defaults {
  std::mutex lock;  // guards all that follows
  std::vector<std::size_t> limits;
  std::unique_ptr<runtime> made;
};
inline defaults& the_defaults() {
  static defaults all;
  return all;
}

}  // namespace detail

/// The runtime of calls from outside: made when it is first needed, with a worker for each core or
/// as many as the `global_control`s then alive allow, and ended with the program. Throws what
/// making a runtime throws.
inline runtime& default_runtime() {
  detail::defaults& all = detail::the_defaults();
  const std::lock_guard lock(all.lock);
  if (all.made == nullptr) {
    const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
    runtime_options options;
    if (fewest != all.limits.end()) options.workers = static_cast<unsigned>(*fewest);
    all.made = std::make_unique<runtime>(options);
  }
  return *all.made;
}

namespace detail {

/// f() in a task: the calling one, or one of the default runtime.
template <typename F>
decltype(auto) inside(const F& f) {
  return this_task::runtime() != nullptr ? f() : default_runtime().run(f);
}

}  // namespace detail

}  // namespace evencube::tbb
