#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include <evencube/detail/schedule_operation.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// A receiver for `schedule`. The operation calls exactly one of `set_value`, `set_error` and
/// `set_stopped`, on an rvalue; this call consumes the receiver.
template <typename R>
concept receives_a_schedule =
    std::move_constructible<R> && requires(R&& receiver, std::exception_ptr failure) {
      std::move(receiver).set_value();
      std::move(receiver).set_error(std::move(failure));
      std::move(receiver).set_stopped();
    };

}  // namespace rule

/// The sender that `schedule` returns. A coroutine can `co_await` it to resume on a worker of the
/// runtime, or a library such as std::execution can connect it to a receiver.
///
/// With normal priority, an awaiting coroutine is queued on its current worker, like a spawned
/// task. As the newest task there, the coroutine resumes before the worker begins other tasks,
/// unless another worker takes the coroutine. With `priority::low`, the coroutine resumes when its
/// worker finds no other task that it may run. Coroutines of low priority resume in the order in
/// which they were queued.
class [[nodiscard]] schedule_sender {
 public:
  /// Creates a sender for `runtime`. Throws std::invalid_argument if `level` is not a valid
  /// priority.
  explicit schedule_sender(runtime& runtime, priority level = priority::normal)
      : schedule_sender(detail::workers_of(runtime),
                        detail::runtime_id_of(detail::workers_of(runtime)), level) {}

  /// Suspends the coroutine, even if it is already running on one of the runtime's workers; a task
  /// of the runtime then resumes it. Throws the same exceptions as `task_group::spawn`. Throws
  /// evencube::error if tasks of that runtime may be waiting for the work to which the coroutine
  /// belongs. If the `co_await` throws, the coroutine stays on its thread.
  [[nodiscard]] detail::schedule_awaiter operator co_await() const {
    detail::require_runtime(runtime_id_, "schedule");
    return detail::schedule_awaiter(*workers_, level_);
  }

  /// Returns an operation whose `start()` queues a task of the runtime. That task calls the
  /// receiver's `set_value()`, or `set_stopped()` if a stop was requested through the receiver's
  /// `get_stop_token()`. If memory runs out, or the runtime belongs to another process, `start`
  /// calls `set_error(std::exception_ptr)` instead. The operation must live until one of these
  /// three functions is called.
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

/// Presents a runtime's workers as a scheduler for senders. A scheduler is small, can be copied
/// freely, and compares equal to all schedulers of the same runtime. The runtime must outlive the
/// work that is scheduled on it. The scheduler may outlive the runtime; its senders then fail with
/// evencube::error.
class runtime_scheduler {
 public:
  /// Creates a scheduler for `runtime`.
  explicit runtime_scheduler(runtime& runtime) noexcept
      : workers_(&detail::workers_of(runtime)), runtime_id_(detail::runtime_id_of(*workers_)) {}

  /// Returns a sender with the given priority. Throws std::invalid_argument if `level` is not a
  /// valid priority.
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
