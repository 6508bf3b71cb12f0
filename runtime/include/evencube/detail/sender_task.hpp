#pragma once

#include <cstdint>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/priority.hpp>

namespace evencube::detail {

/// What waits for an operation of a sender inside of a runtime. The operation's tasks are below it,
/// so the waiter can run them.
struct waiting_place {
  /// The group of a wait, or null.
  group_core* group = nullptr;
  /// The started coroutine that awaits the operation, or null.
  coroutine_root* coroutine = nullptr;
};

/// A task that continues an operation of a sender. It is in the state of the operation, and small
/// because libraries reserve little room for that.
struct sender_task : task {
  using function = void(sender_task&) noexcept;

  /// A task for `workers`, which calls tell(*this) once it is queued.
  sender_task(all_workers* workers, priority level, function* tell) noexcept
      : counted_(nullptr), tell_(tell) {
    parent_ = nullptr;
    execute_ = &run;
    // Until the task is queued, this place is free for what that needs. No object of workers has an
    // odd address.
    next_ = reinterpret_cast<std::uintptr_t>(workers) | static_cast<slot_word>(level);
  }
  sender_task(const sender_task&) = delete;
  sender_task& operator=(const sender_task&) = delete;
  ~sender_task() = default;

  /// The workers and the priority, before the task is queued.
  [[nodiscard]] all_workers* workers() const noexcept {
    return reinterpret_cast<all_workers*>(next_ & ~slot_word{3});
  }
  [[nodiscard]] priority level() const noexcept { return static_cast<priority>(next_ & 3); }

  /// The arena of the group or of the coroutine to which the task belongs, or null.
  [[nodiscard]] arena_core* arena() const noexcept {
    return counted_ != nullptr ? counted_->arena()
                               : static_cast<const future_core&>(*parent_).arena();
  }
  EVENCUBE_EXPORT static void run(task& t, runner& base) noexcept;

  /// The group that counts the task. If null, the parent is the future of a started coroutine.
  group_core* counted_;
  /// Called by the worker that runs the task. The task may be gone afterwards.
  function* tell_;
};

/// Queues the task, from any thread, below what waits for it. Never waits for room. Throws
/// evencube::error if the waiter belongs to a runtime for which tasks of the task's runtime may
/// wait. Throws it also if the runtime was stopped, and std::bad_alloc.
EVENCUBE_EXPORT void queue_sender(sender_task& queued, const waiting_place& below);
/// Throws evencube::error if the runtime is gone, was stopped, or belongs to another process.
EVENCUBE_EXPORT void require_open(all_workers* workers, std::uint64_t runtime_id, const char* what);

}  // namespace evencube::detail
