#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include <evencube/detail/awaiting.hpp>
#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A receiver is told how an operation has ended: exactly one of the three is called, as of a
/// value that is used up by that.
template <typename R>
concept receives_a_schedule =
    std::move_constructible<R> && requires(R&& receiver, std::exception_ptr failure) {
      std::move(receiver).set_value();
      std::move(receiver).set_error(std::move(failure));
      std::move(receiver).set_stopped();
    };

}  // namespace rule

namespace detail {

/// Goes on on a worker of a runtime.
class schedule_awaiter : public own_awaiter, coroutine_step {
 public:
  schedule_awaiter(all_workers& of, priority level) noexcept : of_(&of), level_(level) {
    act_ = &suspend;
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    queued_.who_ = resumption(self);
    return detail::suspend_and_act(*this, queued_.who_);
  }
  void await_resume() {
    if (refusal_ != nullptr) std::rethrow_exception(std::move(refusal_));
  }

 private:
  static std::coroutine_handle<> suspend(coroutine_step& step, coroutine_loop& loop) noexcept {
    auto& self = static_cast<schedule_awaiter&>(step);
    try {
      detail::queue_resumption(self.queued_, *self.of_, self.level_);
      return nullptr;
    } catch (...) {
      self.refusal_ = std::current_exception();
    }
    return self.queued_.who_.in(loop);
  }

  all_workers* of_;
  priority level_;
  resuming_task queued_;
  std::exception_ptr refusal_;
};

/// Tells a receiver, on a worker. Stays where it is from `start` until then.
template <typename Receiver>
class schedule_operation : resuming_task {
 public:
  schedule_operation(all_workers& of, std::uint64_t runtime_id, priority level, Receiver&& receiver)
      : of_(&of), runtime_id_(runtime_id), level_(level), receiver_(std::move(receiver)) {
    tell_ = &tell;
  }
  schedule_operation(const schedule_operation&) = delete;
  schedule_operation& operator=(const schedule_operation&) = delete;
  ~schedule_operation() = default;

  /// Once. Tells the receiver of an error at once where the task cannot be queued.
  void start() noexcept {
    try {
      detail::require_runtime(runtime_id_, "schedule");
      detail::queue_resumption(*this, *of_, level_);
    } catch (...) {
      std::move(receiver_).set_error(std::current_exception());
    }
  }

 private:
  static void tell(resuming_task& t) noexcept {
    auto& self = static_cast<schedule_operation&>(t);
    bool stopped = false;
    if constexpr (requires { self.receiver_.get_stop_token().stop_requested(); }) {
      stopped = self.receiver_.get_stop_token().stop_requested();
    }
    // It may be gone when the receiver knows.
    if (stopped) {
      std::move(self.receiver_).set_stopped();
    } else {
      std::move(self.receiver_).set_value();
    }
  }

  all_workers* of_;
  std::uint64_t runtime_id_;
  priority level_;
  Receiver receiver_;
};

}  // namespace detail

/// What `schedule` gives: `co_await` it to go on on a worker of the runtime. Or connect it with a
/// receiver, as std::execution does it; the library's own, or that of whoever has one.
///
/// Of normal priority it is queued as a spawned task: on the worker that it is on, where it is the
/// newest, so that it goes on there next, unless somebody takes it. This is not a way to let others
/// go first. That is `priority::low`: it goes on when its worker finds nothing else that it may
/// run, and those who do so take turns, in the order in which they came.
class [[nodiscard]] schedule_sender {
 public:
  /// Throws std::invalid_argument for a value that is no priority.
  explicit schedule_sender(runtime& of, priority level = priority::normal)
      : schedule_sender(detail::workers_of(of), detail::runtime_id_of(detail::workers_of(of)),
                        level) {}

  /// The coroutine suspends and a task of the runtime goes on with it, also where it is on one of
  /// its workers already. Throws as `task_group::spawn` does, and evencube::error if tasks of that
  /// runtime may wait for what the coroutine belongs to; the coroutine is then where it was.
  [[nodiscard]] detail::schedule_awaiter operator co_await() const {
    detail::require_runtime(runtime_id_, "schedule");
    return detail::schedule_awaiter(*of_, level_);
  }

  /// An operation; its `start()` queues a task of the runtime, which tells the receiver
  /// `set_value()`, or `set_stopped()` if the receiver has a `get_stop_token()` and that says so.
  /// Where there is no memory, or the runtime is another process's, `start` tells it
  /// `set_error(std::exception_ptr)`. The operation must live until then.
  template <rule::receives_a_schedule Receiver>
  [[nodiscard]] detail::schedule_operation<Receiver> connect(Receiver receiver) const {
    return detail::schedule_operation<Receiver>(*of_, runtime_id_, level_, std::move(receiver));
  }

 private:
  friend class runtime_scheduler;
  schedule_sender(detail::all_workers& of, std::uint64_t runtime_id, priority level)
      : of_(&of), runtime_id_(runtime_id), level_(level) {
    detail::check_priority(level);
  }

  detail::all_workers* of_;
  std::uint64_t runtime_id_;
  priority level_;
};

/// The workers of a runtime, as something to schedule on: small, copied freely, equal if of the
/// same runtime, which must outlive what it schedules. The scheduler may outlive it: to await or
/// start what it gives throws evencube::error then.
class runtime_scheduler {
 public:
  explicit runtime_scheduler(runtime& of) noexcept
      : of_(&detail::workers_of(of)), runtime_id_(detail::runtime_id_of(*of_)) {}

  schedule_sender schedule(priority level = priority::normal) const {
    return schedule_sender(*of_, runtime_id_, level);
  }

  friend bool operator==(const runtime_scheduler& a, const runtime_scheduler& b) noexcept {
    return a.runtime_id_ == b.runtime_id_;
  }

 private:
  detail::all_workers* of_;
  std::uint64_t runtime_id_;
};

}  // namespace evencube
