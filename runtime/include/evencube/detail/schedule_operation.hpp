#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

#include <evencube/detail/awaiting.hpp>
#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>

namespace evencube::detail {

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

}  // namespace evencube::detail
