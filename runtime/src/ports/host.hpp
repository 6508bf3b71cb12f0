#pragma once

#include <cstdint>

namespace evencube::detail {

/// What an observer is told of a worker.
enum class observed { started, stopped, parks, wakes, task_begins, task_ended };

/// What the scheduler asks of the program around it.
class workers_host {
 public:
  workers_host() = default;
  workers_host(const workers_host&) = delete;
  workers_host& operator=(const workers_host&) = delete;
  virtual ~workers_host() = default;

  /// Throws evencube::error in a forked child.
  virtual void check_alive() const = 0;
  /// Whether this process was forked from the one that has its threads: who was a worker there
  /// waits as a thread outside, for locks may be held by threads that are not here.
  [[nodiscard]] virtual bool left_behind() const noexcept { return false; }
  /// Throws evencube::error, beginning with `what`, if the calling thread holds the runtime.
  virtual void check_not_holder(const char* what) const = 0;
  /// Throws evencube::error if the caller is a thread of this runtime outside of tasks.
  virtual void check_not_own(const char* /*what*/) const {}
  /// Makes the thread that calls `serve_standby`. Throws std::system_error.
  virtual void start_standby() = 0;
  /// Whether the calling thread is in a blocking scope of a worker.
  [[nodiscard]] virtual bool blocks_here() const noexcept { return false; }
  /// The calling thread, a spare worker's, is to run where worker `place` runs.
  virtual void bind_spare(std::uint32_t place) noexcept = 0;
  /// Throws evencube::error: the runtime has been stopped, and takes nothing from outside.
  [[noreturn]] virtual void refuse_stopped() const = 0;
  /// Tells the observer. Called where the settings say that there is one.
  virtual void observe(observed /*what*/, std::uint32_t /*worker*/) noexcept {}
};

}  // namespace evencube::detail
