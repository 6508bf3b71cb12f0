#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

/// A limit that holds while the object lives. The smallest `max_allowed_parallelism` is the number
/// of threads that serve calls from outside of tasks; with 1, everything runs on the calling
/// thread. The largest `thread_stack_size` applies to threads made later, if the system can set it.
/// While any `terminate_on_exception` is not 0, an exception from a body, or from any other
/// function that an algorithm or a group calls, ends the program. The other parameters have no
/// effect. Throws std::invalid_argument for a limit that no runtime can have.
class global_control {
 public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max
  };

  global_control(parameter which, std::size_t value) : value_(value), which_(which) {
    if (which == max_allowed_parallelism && (value == 0 || value > runtime_options::max_workers)) {
      throw std::invalid_argument("global_control: max_allowed_parallelism " +
                                  std::to_string(value) + " is not allowed; 1 to " +
                                  std::to_string(runtime_options::max_workers));
    }
    if (which < max_allowed_parallelism || which >= parameter_max) {
      throw std::invalid_argument("global_control: " + std::to_string(static_cast<int>(which)) +
                                  " is no parameter");
    }
    if (std::vector<std::size_t>* const list = values(which)) {
      const std::lock_guard lock(detail::the_defaults().lock);
      list->push_back(value);
    }
    if (terminates()) detail::terminating_controls.fetch_add(1, std::memory_order_relaxed);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() {
    if (std::vector<std::size_t>* const list = values(which_)) {
      const std::lock_guard lock(detail::the_defaults().lock);
      list->erase(std::find(list->begin(), list->end(), value_));
    }
    if (terminates()) detail::terminating_controls.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Returns the current value of the parameter.
  static std::size_t active_value(parameter which) {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    switch (which) {
      case max_allowed_parallelism:
        return detail::lowest_limit(all).value_or(detail::usual_workers());
      case thread_stack_size:
        return all.stack_sizes.empty()
                   ? detail::usual_stack_size()
                   : *std::max_element(all.stack_sizes.begin(), all.stack_sizes.end());
      case terminate_on_exception:
        return detail::terminating_controls.load(std::memory_order_relaxed) != 0 ? 1 : 0;
      case scheduler_handle:
        return all.handles;
      default:
        return 0;
    }
  }

 private:
  static std::vector<std::size_t>* values(parameter which) {
    detail::defaults& all = detail::the_defaults();
    return which == max_allowed_parallelism ? &all.limits
           : which == thread_stack_size     ? &all.stack_sizes
                                            : nullptr;
  }
  [[nodiscard]] bool terminates() const noexcept {
    return which_ == terminate_on_exception && value_ != 0;
  }

  std::size_t value_;
  parameter which_;
};

/// The tag for constructors whose objects refer to an existing object.
struct attach {};

/// Thrown by `finalize` if it cannot end the runtime.
class unsafe_wait : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class task_scheduler_handle;
bool finalize(task_scheduler_handle& handle, const std::nothrow_t& tag) noexcept;

/// A handle with which the program can end the default runtime and its threads (`finalize`).
class task_scheduler_handle {
 public:
  task_scheduler_handle() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_scheduler_handle(attach) : set_(true) { count(1); }
  task_scheduler_handle(task_scheduler_handle&& other) noexcept
      : set_(std::exchange(other.set_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    std::swap(set_, other.set_);
    return *this;
  }
  task_scheduler_handle(const task_scheduler_handle&) = delete;
  task_scheduler_handle& operator=(const task_scheduler_handle&) = delete;
  ~task_scheduler_handle() { release(); }

  explicit operator bool() const noexcept { return set_; }
  /// Releases the handle without ending anything.
  void release() {
    if (std::exchange(set_, false)) count(-1);
  }

 private:
  friend bool finalize(task_scheduler_handle& handle, const std::nothrow_t& tag) noexcept;

  static void count(int change) {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    all.handles += static_cast<unsigned>(change);
  }

  bool set_ = false;
};

/// Ends the default runtime, if it exists, and waits for its threads. Returns false, and does not
/// end the runtime, if another handle exists, if a task makes the call, if other calls from outside
/// are in progress, or if one of the program's groups or arenas refers to the runtime. The next
/// call from outside makes a new runtime.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t& /*tag*/) noexcept {
  if (!handle) return false;
  try {
    detail::defaults& all = detail::the_defaults();
    handle.release();
    std::unique_ptr<runtime> ended;
    std::vector<std::unique_ptr<runtime>> others;
    const std::lock_guard lock(all.lock);
    if (all.made == nullptr && all.former.empty() && all.lone.empty()) return true;
    if (all.handles != 0 || this_task::runtime() != nullptr ||
        all.users.load(std::memory_order_seq_cst) != 0) {
      return false;
    }
    all.narrower.clear();
    all.former_arenas.clear();
    ended = std::move(all.made);
    others = std::move(all.former);
    all.former.clear();
    for (auto& one : all.lone) others.push_back(std::move(one));
    all.lone.clear();
    return true;
  } catch (...) {  // the program is about to end
    return false;
  }
}
/// Like the other `finalize`, but throws unsafe_wait instead of returning false.
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) {
    throw unsafe_wait("finalize: the runtime is still needed, or the handle is not set");
  }
}

}  // namespace evencube::tbb
