#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

class coroutine_loop;
struct coroutine_root;

/// An action to carry out after a coroutine has suspended. It returns the coroutine to go on with,
/// or null. The coroutine may be gone once the action has let other threads resume it.
struct coroutine_step {
  std::coroutine_handle<> (*act_)(coroutine_step&, coroutine_loop&) noexcept = nullptr;
};

/// The part of a promise that does not depend on the result.
struct promise_base : coroutine_step {
  /// The loop in which the coroutine runs; null if other code has resumed it.
  coroutine_loop* loop_ = nullptr;
  /// The started coroutine to which this one belongs; null if there is none known.
  coroutine_root* root_ = nullptr;
  /// The coroutine that goes on when this one has ended, unless there is a step for that.
  std::coroutine_handle<> waiter_;
  /// The promise of the waiter, or null if the waiter is a coroutine of another type. For a
  /// coroutine with a step, data of that step.
  coroutine_step* above_ = nullptr;
  /// The exception that the coroutine threw.
  std::exception_ptr failure_;

  /// Called when the coroutine has ended: returns the coroutine that goes on in the loop.
  std::coroutine_handle<> end_in(coroutine_loop& loop) noexcept {
    if (act_ != nullptr) return act_(*this, loop);
    if (above_ != nullptr) static_cast<promise_base*>(above_)->loop_ = &loop;
    return waiter_;
  }

  /// Called at the final suspension.
  void leave_for_ever() noexcept;

  // Not inline: after each suspension, the variable of a thread may be that of another thread.
  [[gnu::noinline]] static void* operator new(std::size_t bytes) {
    if (bytes <= frame_cache::largest) {
      if (worker* const here = current_worker) {
        if (void* const kept = here->memory().coroutine_frames().take(bytes)) return kept;
      }
      bytes = frame_cache::rounded(bytes);
    }
    return ::operator new(bytes);
  }
  [[gnu::noinline]] static void operator delete(void* frame, std::size_t bytes) noexcept {
    if (bytes <= frame_cache::largest) {
      worker* const here = current_worker;
      if (here != nullptr && here->memory().coroutine_frames().keep(frame, bytes)) return;
    }
    ::operator delete(frame);
  }
};

/// Resumes coroutines, one after another: each names the next one and suspends. So the stack does
/// not grow, however many coroutines await each other. A symmetric transfer would be a call without
/// optimisation or under a sanitizer.
class coroutine_loop {
 public:
  coroutine_loop() = default;
  coroutine_loop(const coroutine_loop&) = delete;
  coroutine_loop& operator=(const coroutine_loop&) = delete;
  ~coroutine_loop() = default;

  void go_on_with(std::coroutine_handle<> next) noexcept { next_ = next; }
  void act_on(coroutine_step& step) noexcept { step_ = &step; }

  void run(std::coroutine_handle<> next) noexcept {
    while (next) next = follow(next);
  }
  /// Like `run`, but stops when it is the turn of `self`, which is then not resumed. Returns false
  /// if that never happens.
  bool run_until(std::coroutine_handle<> next, std::coroutine_handle<> self) noexcept {
    while (next && next != self) next = follow(next);
    return next == self;
  }

 private:
  std::coroutine_handle<> follow(std::coroutine_handle<> next) noexcept {
    next.resume();
    if (step_ != nullptr) {
      coroutine_step& step = *std::exchange(step_, nullptr);
      return step.act_(step, *this);
    }
    return std::exchange(next_, nullptr);
  }

  std::coroutine_handle<> next_;
  coroutine_step* step_ = nullptr;
};

/// A suspended coroutine. `promise` is null if its type is not the library's.
struct resumption {
  std::coroutine_handle<> handle;
  promise_base* promise;

  template <typename Promise>
  explicit resumption(std::coroutine_handle<Promise> coroutine) noexcept
      : handle(coroutine), promise(promise_of(coroutine)) {}
  resumption() noexcept : handle(), promise(nullptr) {}

  /// The started coroutine to which this one belongs, or null.
  [[nodiscard]] coroutine_root* root() const noexcept {
    return promise != nullptr ? promise->root_ : nullptr;
  }
  /// Puts the coroutine into the loop and returns its handle, to go on with.
  std::coroutine_handle<> in(coroutine_loop& loop) const noexcept {
    if (promise != nullptr) promise->loop_ = &loop;
    return handle;
  }
  /// Resumes the coroutine here, on the stack of the caller.
  void resume() const noexcept {
    coroutine_loop loop;
    loop.run(in(loop));
  }

 private:
  template <typename Promise>
  static promise_base* promise_of(std::coroutine_handle<Promise> coroutine) noexcept {
    if constexpr (std::is_base_of_v<promise_base, Promise>) {
      return &coroutine.promise();
    } else {
      return nullptr;
    }
  }
};

/// For a coroutine that was not resumed by a loop of the library: carries out the step, and what
/// follows, on this stack. Returns what `await_suspend` returns.
[[gnu::noinline]] inline bool act_apart(coroutine_step& step, resumption self) noexcept {
  coroutine_loop loop;
  if (!loop.run_until(step.act_(step, loop), self.handle)) return true;
  if (self.promise != nullptr) self.promise->loop_ = nullptr;
  return false;
}
/// Suspends `self` and then carries out the step. Returns what `await_suspend` returns.
inline bool suspend_and_act(coroutine_step& step, resumption self) noexcept {
  if (self.promise == nullptr || self.promise->loop_ == nullptr) {
    return detail::act_apart(step, self);
  }
  self.promise->loop_->act_on(step);
  return true;
}

[[gnu::noinline]] inline void leave_apart(promise_base& ended) noexcept {
  coroutine_loop loop;
  loop.run(ended.end_in(loop));
}
inline void promise_base::leave_for_ever() noexcept {
  if (loop_ == nullptr) {
    detail::leave_apart(*this);
  } else if (act_ != nullptr) {
    loop_->act_on(*this);
  } else {
    loop_->go_on_with(end_in(*loop_));
  }
}

/// The future and the workers of a coroutine that was started.
struct coroutine_root {
  future_core* core;
  all_workers* workers;
};

/// A task that resumes a coroutine. It is in the frame of a coroutine.
struct resuming_task : task {
  resuming_task() noexcept {
    parent_ = nullptr;
    execute_ = &run;
  }

  resumption waiter_;
  /// The group that counts the task, or null.
  group_core* counted_ = nullptr;
  /// A function to call instead of resuming the coroutine, or null.
  void (*tell_)(resuming_task&) noexcept = nullptr;

  /// The arena of the started coroutine of which this task is a part. Null if that is in no arena,
  /// or if this task is a part of none.
  [[nodiscard]] arena_core* arena() const noexcept {
    const coroutine_root* const root = waiter_.root();
    return root != nullptr && parent_ == root->core ? root->core->arena() : nullptr;
  }
  EVENCUBE_EXPORT static void run(task& t, runner& base) noexcept;
};

/// Queues the task, from any thread. Throws as `task_group::spawn` does. Throws evencube::error if
/// the coroutine belongs to a runtime for which tasks of that one may wait.
EVENCUBE_EXPORT void queue_resumption(resuming_task& queued, all_workers& workers,
                                      priority level = priority::normal);
/// Like `queue_resumption`, but called by a worker for a part of a started coroutine. Returns false
/// if the caller had better go on with the part itself.
EVENCUBE_EXPORT bool queue_part(resuming_task& queued, worker& caller) noexcept;
/// Called by the thread that runs another one of these parts: returns the next part with which the
/// thread may go on itself, because it is the newest task in the queue here. Returns null if there
/// is none.
EVENCUBE_EXPORT resuming_task* take_next_part(resuming_task* parts, std::size_t count) noexcept;
/// Suspends the coroutine, which goes on in a task when `awaited` has ended. Returns false, with
/// nothing changed, if `awaited` has already ended. Throws std::bad_alloc, and as `future::wait`
/// does.
EVENCUBE_EXPORT bool suspend_for(future_core& awaited, resumption waiter);
/// Counts one more coroutine for which the runtime's destructor waits until `end_coroutine`. The
/// coroutine belongs to the arena of the calling task. Throws evencube::error in a forked child.
EVENCUBE_EXPORT void count_coroutine(all_workers& workers, future_core& root);
/// Like `end_future`, but may be called by any thread.
EVENCUBE_EXPORT void end_coroutine(future_core& ended, bool threw, all_workers& workers) noexcept;
[[noreturn]] EVENCUBE_EXPORT void throw_empty_task();

}  // namespace evencube::detail
