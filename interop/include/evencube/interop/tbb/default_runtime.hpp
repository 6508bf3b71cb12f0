#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <evencube/arena.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace detail {

/// The limits that `global_control` objects set for the default runtime, and the runtime once a
/// call has needed it.
struct defaults {
  std::mutex lock;  // guards everything below
  std::vector<std::size_t> limits;
  std::unique_ptr<runtime> made;
  // Arenas of the runtime by their number of places, for limits that came after it had been made.
  std::map<unsigned, std::unique_ptr<arena>> narrower;
};
/// Throws evencube::error if the program has ended the default runtime: in destructors of static
/// variables made before it.
inline defaults& the_defaults() {
  static constinit std::atomic<bool> ended{false};
  struct ending : defaults {
    ~ending() { ended.store(true, std::memory_order_relaxed); }
  };
  static ending all;
  if (ended.load(std::memory_order_relaxed)) {
    throw error(
        "default_runtime: it has ended with the program; a static variable whose destructor "
        "uses it has to use it, or make it, in its constructor");
  }
  return all;
}

/// Call with the lock held.
inline runtime& made_default(defaults& all) {
  if (all.made == nullptr) {
    const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
    runtime_options options;
    if (fewest != all.limits.end()) options.workers = static_cast<unsigned>(*fewest);
    all.made = std::make_unique<runtime>(options);
  }
  return *all.made;
}

}  // namespace detail

/// Returns the runtime of calls from outside. It is made when it is first needed, with a worker for
/// each core, or as many as the `global_control` objects of that moment allow. It ends with the
/// program. Throws the exceptions of making a runtime.
inline runtime& default_runtime() {
  detail::defaults& all = detail::the_defaults();
  const std::lock_guard lock(all.lock);
  return detail::made_default(all);
}

namespace detail {

/// The place where calls from outside run: the default runtime, or an arena of it if a limit says
/// so.
struct outside_place {
  runtime& of;
  arena* part;  // null: the whole runtime
};
inline outside_place place_for_outside() {
  defaults& all = the_defaults();
  const std::lock_guard lock(all.lock);
  runtime& of = made_default(all);
  const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
  if (fewest == all.limits.end() || *fewest >= of.workers()) return {of, nullptr};
  const auto places = static_cast<unsigned>(*fewest);
  std::unique_ptr<arena>& part = all.narrower[places];
  if (part == nullptr) part = std::make_unique<arena>(of, arena_options{.workers = places});
  return {of, part.get()};
}

/// Calls f() in a task: the calling one, or one of the default runtime. As in oneTBB, the calling
/// thread is not bound for it, because programs make such calls by the thousand.
template <typename F>
decltype(auto) inside(const F& f) {
  if (this_task::runtime() != nullptr) return f();
  const outside_place place = place_for_outside();
  const run_options free{.pin = false};
  return place.part != nullptr ? place.part->run(f, free) : place.of.run(f, free);
}

}  // namespace detail

}  // namespace evencube::tbb
