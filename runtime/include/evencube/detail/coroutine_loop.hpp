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

/// What is to be done when a coroutine has been left: it gives back who goes on, or nobody. It may
/// be gone when it has let others go on.
struct coroutine_step {
  std::coroutine_handle<> (*act_)(coroutine_step&, coroutine_loop&) noexcept = nullptr;
};

/// The part of a promise that does not depend on the result.
struct promise_base : coroutine_step {
  /// The loop that it runs in; null in one that something else has resumed.
  coroutine_loop* loop_ = nullptr;
  /// What was started and it belongs to; null if it is not known.
  coroutine_root* root_ = nullptr;
  /// Who goes on when it has ended, unless there is a step for that.
  std::coroutine_handle<> waiter_;
  /// The waiter's promise, null if it is a coroutine of another type; or what the step knows.
  coroutine_step* above_ = nullptr;
  /// What it threw.
  std::exception_ptr failure_;

  /// It has ended: who goes on in that loop.
  std::coroutine_handle<> end_in(coroutine_loop& loop) noexcept {
    if (act_ != nullptr) return act_(*this, loop);
    if (above_ != nullptr) static_cast<promise_base*>(above_)->loop_ = &loop;
    return waiter_;
  }

  /// At its final suspension.
  void leave_for_ever() noexcept;

  // Not inline: a thread's variable may be another one after each suspension.
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

/// Resumes coroutines, one after another: each leaves word who is next and suspends. So the stack
/// does not grow however many await each other, whatever the compiler makes of a symmetric
/// transfer: without optimising, or under a sanitizer, that would be a call.
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
  /// The same until it is `self`'s turn, which is then not resumed: false if it never is.
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

/// A suspended coroutine: `promise` is null if its type is not the library's.
struct resumption {
  std::coroutine_handle<> handle;
  promise_base* promise;

  template <typename Promise>
  explicit resumption(std::coroutine_handle<Promise> of) noexcept
      : handle(of), promise(promise_of(of)) {}
  resumption() noexcept : handle(), promise(nullptr) {}

  /// What was started and it belongs to; null if it is not known.
  [[nodiscard]] coroutine_root* root() const noexcept {
    return promise != nullptr ? promise->root_ : nullptr;
  }
  /// It goes on in that loop.
  std::coroutine_handle<> in(coroutine_loop& loop) const noexcept {
    if (promise != nullptr) promise->loop_ = &loop;
    return handle;
  }
  /// It goes on here, on the stack of the caller.
  void resume() const noexcept {
    coroutine_loop loop;
    loop.run(in(loop));
  }

 private:
  template <typename Promise>
  static promise_base* promise_of(std::coroutine_handle<Promise> of) noexcept {
    if constexpr (std::is_base_of_v<promise_base, Promise>) {
      return &of.promise();
    } else {
      return nullptr;
    }
  }
};

/// It was resumed by something that is no loop of the library's: the rest runs on this stack.
[[gnu::noinline]] inline bool act_apart(coroutine_step& step, resumption self) noexcept {
  coroutine_loop loop;
  if (!loop.run_until(step.act_(step, loop), self.handle)) return true;
  if (self.promise != nullptr) self.promise->loop_ = nullptr;
  return false;
}
/// `self` suspends, and then the step is to be done: what `await_suspend` returns.
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

/// What is known of a coroutine that was started.
struct coroutine_root {
  future_core* core;
  all_workers* of;
};

/// A task that resumes a coroutine. It stands in the coroutine's frame.
struct resuming_task : task {
  resuming_task() noexcept {
    parent_ = nullptr;
    execute_ = &run;
  }

  resumption who_;
  /// What counts it; null if nothing does.
  group_core* counted_ = nullptr;
  /// Null: resumes the coroutine.
  void (*tell_)(resuming_task&) noexcept = nullptr;

  /// The arena of what was started and it is part of; null if it is in none, or part of nothing.
  [[nodiscard]] arena_core* arena() const noexcept {
    const coroutine_root* const root = who_.root();
    return root != nullptr && parent_ == root->core ? root->core->arena() : nullptr;
  }
  EVENCUBE_EXPORT static void run(task& t, worker& by) noexcept;
};

/// Queues the task, from whatever thread. Throws as `task_group::spawn` does, and evencube::error
/// if the coroutine belongs to a runtime that tasks of that one may wait for.
EVENCUBE_EXPORT void queue_resumption(resuming_task& queued, all_workers& of,
                                      priority level = priority::normal);
/// The same for a part of what was started, by a worker: false if the caller had better go on with
/// it by itself.
EVENCUBE_EXPORT bool queue_part(resuming_task& queued, worker& by) noexcept;
/// By the thread that runs another one of these: the next that it may go on with by itself, for it
/// is the newest in the queue here; null if there is none.
EVENCUBE_EXPORT resuming_task* take_next_part(resuming_task* parts, std::size_t count) noexcept;
/// The coroutine is suspended, and goes on in a task when `awaited` has ended. False, and it is as
/// it was, if that has ended already. Throws std::bad_alloc, and as `future::wait` does.
EVENCUBE_EXPORT bool suspend_for(future_core& awaited, resumption who);
/// One more coroutine that the runtime's destructor waits for, until `end_coroutine`, and that
/// belongs to the arena of the calling task. Throws evencube::error in a forked child.
EVENCUBE_EXPORT void count_coroutine(all_workers& of, future_core& root);
/// As `end_future`, by any thread.
EVENCUBE_EXPORT void end_coroutine(future_core& ended, bool threw, all_workers& of) noexcept;
[[noreturn]] EVENCUBE_EXPORT void throw_empty_task();

}  // namespace evencube::detail
