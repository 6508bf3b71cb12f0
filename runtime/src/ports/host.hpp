#pragma once

#include <cstdint>
#include <optional>

#include <evencube/detail/task.hpp>
#include <evencube/detail/task_label.hpp>

namespace evencube::detail {

/// The events of a worker that the observer is notified of.
enum class observed { started, stopped, parks, wakes, task_begins, task_ended };

/// The parts of the program around the workers that the workers call.
class workers_host {
 public:
  workers_host() = default;
  workers_host(const workers_host&) = delete;
  workers_host& operator=(const workers_host&) = delete;
  virtual ~workers_host() = default;

  /// Throws evencube::error in a forked child.
  virtual void check_alive() const = 0;
  /// True if this process was forked from the one that has the threads of the workers. A thread
  /// that was a worker there waits as a thread outside, because locks may be held by threads that
  /// do not exist here.
  [[nodiscard]] virtual bool left_behind() const noexcept { return false; }
  /// Throws evencube::error, beginning with `what`, if the calling thread holds the runtime.
  virtual void check_not_holder(const char* what) const = 0;
  /// Throws evencube::error if the caller is a thread of this runtime outside of tasks.
  virtual void check_not_own(const char* /*what*/) const {}
  /// Makes the thread that calls `serve_standby`. Throws std::system_error.
  virtual void start_standby() = 0;
  /// True if the calling thread is in a blocking scope of a worker, or must not wait for room.
  [[nodiscard]] virtual bool blocks_here() const noexcept { return false; }
  /// Binds the calling thread, which is that of a spare worker, to the units of worker `place`.
  virtual void bind_spare(std::uint32_t place) noexcept = 0;
  /// Throws evencube::error, because the runtime has been stopped and takes nothing from outside.
  [[noreturn]] virtual void refuse_stopped() const = 0;
  /// True if the control group may use more processors than there are workers, so that waiting
  /// awake does not use up its quota: the system would stop the whole group. Called by a thread
  /// without work. `now` is the time in nanoseconds; it is set again if the call took long.
  [[nodiscard]] virtual bool quota_leaves_room(std::int64_t& /*now*/) noexcept { return true; }
  /// Records a task that a thread outside is about to send, if a recording is in progress. Called
  /// before the task is sent, because a worker may run it at once. `home` is the worker asked for.
  virtual void note_sent(slot_word /*sent*/, std::optional<unsigned> /*home*/,
                         const task_label& /*label*/) noexcept {}
  /// Notifies the observer. Only called if the settings say that there is one.
  virtual void observe(observed /*what*/, std::uint32_t /*worker*/) noexcept {}
};

}  // namespace evencube::detail
