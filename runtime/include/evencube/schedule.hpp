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

/// A receiver is notified how an operation ended. Exactly one of the three functions is called, on
/// an rvalue, which uses the receiver up.
template <typename R>
concept receives_a_schedule =
    std::move_constructible<R> && requires(R&& receiver, std::exception_ptr failure) {
      std::move(receiver).set_value();
      std::move(receiver).set_error(std::move(failure));
      std::move(receiver).set_stopped();
    };

}  // namespace rule

namespace detail {

/// Continues a coroutine on a worker of a runtime.
class schedule_awaiter : public own_awaiter, coroutine_step {
 public:
  schedule_awaiter(all_workers& workers, priority level) noexcept
      : workers_(&workers), level_(level) {
    act_ = &suspend;
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    queued_.waiter_ = resumption(self);
    return detail::suspend_and_act(*this, queued_.waiter_);
  }
  void await_resume() {
    if (refusal_ != nullptr) std::rethrow_exception(std::move(refusal_));
  }

 private:
  static std::coroutine_handle<> suspend(coroutine_step& step, coroutine_loop& loop) noexcept {
    auto& self = static_cast<schedule_awaiter&>(step);
    try {
      detail::queue_resumption(self.queued_, *self.workers_, self.level_);
      return nullptr;
    } catch (...) {
      self.refusal_ = std::current_exception();
    }
    return self.queued_.waiter_.in(loop);
  }

  all_workers* workers_;
  priority level_;
  resuming_task queued_;
  std::exception_ptr refusal_;
};

/// Notifies a receiver on a worker. It must stay in its place from `start` until then.
template <typename Receiver>
class schedule_operation : resuming_task {
 public:
  schedule_operation(all_workers& workers, std::uint64_t runtime_id, priority level,
                     Receiver&& receiver)
      : workers_(&workers), runtime_id_(runtime_id), level_(level), receiver_(std::move(receiver)) {
    tell_ = &tell;
  }
  schedule_operation(const schedule_operation&) = delete;
  schedule_operation& operator=(const schedule_operation&) = delete;
  ~schedule_operation() = default;

  /// Queues the task; to be called once. If the task cannot be queued, the receiver gets the error
  /// at once.
  void start() noexcept {
    try {
      detail::require_runtime(runtime_id_, "schedule");
      detail::queue_resumption(*this, *workers_, level_);
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
    // This object may be gone once the receiver is notified.
    if (stopped) {
      std::move(self.receiver_).set_stopped();
    } else {
      std::move(self.receiver_).set_value();
    }
  }

  all_workers* workers_;
  std::uint64_t runtime_id_;
  priority level_;
  Receiver receiver_;
};

}  // namespace detail

/// The sender that `schedule` returns. `co_await` it to continue on a worker of the runtime. Or
/// connect it to a receiver, as std::execution does; the receiver may be one of any library.
///
/// With normal priority, the coroutine is queued like a spawned task on its current worker. It is
/// the newest task there and continues next, unless another worker takes it. So this does not let
/// other tasks go first. With `priority::low` it does: the coroutine continues when its worker
/// finds nothing else that it may run. Several of low priority take turns in the order in which
/// they came.
class [[nodiscard]] schedule_sender {
 public:
  /// Makes a sender for `runtime`. Throws std::invalid_argument for a value that is not a
  /// priority.
  explicit schedule_sender(runtime& runtime, priority level = priority::normal)
      : schedule_sender(detail::workers_of(runtime),
                        detail::runtime_id_of(detail::workers_of(runtime)), level) {}

  /// Suspends the coroutine; a task of the runtime continues it, even if it is on one of the
  /// runtime's workers already. Throws the exceptions of `task_group::spawn`. Throws
  /// evencube::error if tasks of that runtime may wait for the work to which the coroutine belongs.
  /// After an exception the coroutine is where it was.
  [[nodiscard]] detail::schedule_awaiter operator co_await() const {
    detail::require_runtime(runtime_id_, "schedule");
    return detail::schedule_awaiter(*workers_, level_);
  }

  /// Returns an operation whose `start()` queues a task of the runtime. That task calls
  /// `set_value()` of the receiver, or `set_stopped()` if the receiver has a `get_stop_token()`
  /// whose stop was requested. If memory runs out, or the runtime is another process's, `start`
  /// calls `set_error(std::exception_ptr)`. The operation must live until one of these calls.
  template <rule::receives_a_schedule Receiver>
  [[nodiscard]] detail::schedule_operation<Receiver> connect(Receiver receiver) const {
    return detail::schedule_operation<Receiver>(*workers_, runtime_id_, level_,
                                                std::move(receiver));
  }

 private:
  friend class runtime_scheduler;
  schedule_sender(detail::all_workers& workers, std::uint64_t runtime_id, priority level)
      : workers_(&workers), runtime_id_(runtime_id), level_(level) {
    detail::check_priority(level);
  }

  detail::all_workers* workers_;
  std::uint64_t runtime_id_;
  priority level_;
};

/// The workers of a runtime, as a scheduler for senders. It is small, can be copied freely, and
/// equals the other schedulers of the same runtime. The runtime must outlive what is scheduled on
/// it. The scheduler may outlive the runtime; to await or start its senders then throws
/// evencube::error.
class runtime_scheduler {
 public:
  /// Makes a scheduler of `runtime`.
  explicit runtime_scheduler(runtime& runtime) noexcept
      : workers_(&detail::workers_of(runtime)), runtime_id_(detail::runtime_id_of(*workers_)) {}

  /// Returns a sender of the given priority. Throws std::invalid_argument for a value that is not a
  /// priority.
  schedule_sender schedule(priority level = priority::normal) const {
    return schedule_sender(*workers_, runtime_id_, level);
  }

  /// Returns true if both schedulers belong to the same runtime.
  friend bool operator==(const runtime_scheduler& a, const runtime_scheduler& b) noexcept {
    return a.runtime_id_ == b.runtime_id_;
  }

 private:
  detail::all_workers* workers_;
  std::uint64_t runtime_id_;
};

}  // namespace evencube
