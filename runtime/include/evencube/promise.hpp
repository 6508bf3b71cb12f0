#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/future_state.hpp>
#include <evencube/error.hpp>
#include <evencube/future.hpp>
#include <evencube/runtime.hpp>

namespace evencube {

namespace rule {

/// The value of a promise<T> can be constructed from the arguments.
template <typename T, typename... Arguments>
concept makes_the_value_of_a_promise = (std::is_void_v<T> && sizeof...(Arguments) == 0) ||
                                       (std::is_reference_v<T> && sizeof...(Arguments) == 1 &&
                                        (std::is_convertible_v<Arguments&&, T> && ...)) ||
                                       (!std::is_void_v<T> && !std::is_reference_v<T> &&
                                        std::constructible_from<std::remove_cv_t<T>, Arguments...>);

}  // namespace rule

namespace detail {

/// Registers a promise's future as pending, so that the runtime's destructor waits until it is
/// ready. Throws evencube::error in a forked child, and outside of tasks if the runtime is being
/// stopped.
EVENCUBE_EXPORT void count_promise(all_workers& workers);
/// Completes a promise's future; may be called on any thread.
EVENCUBE_EXPORT void end_promise(future_core& ended, bool threw, all_workers& workers) noexcept;
[[noreturn]] EVENCUBE_EXPORT void throw_spent_promise(const char* reason);
EVENCUBE_EXPORT std::exception_ptr broken_promise() noexcept;

/// The state of a promise's future. The future counts as a task that has begun, so no waiter runs
/// it.
template <typename T>
class promise_state final : public future_state<T> {
 public:
  explicit promise_state(all_workers& workers)
      : future_state<T>(detail::runtime_id_of(workers), future_core::stage::released, 2, nullptr,
                        &destroy) {
    static_cast<void>(this->begin());
  }

  template <typename... Arguments>
  void make_value(Arguments&&... arguments) {
    if constexpr (std::is_reference_v<T>) {
      const auto keep = [](T to) { return std::addressof(to); };
      ::new (static_cast<void*>(std::addressof(this->value_)))
          kept<T>(keep(static_cast<T>(arguments))...);
    } else {
      ::new (static_cast<void*>(std::addressof(this->value_)))
          kept<T>(std::forward<Arguments>(arguments)...);
    }
  }
  using future_state<T>::keep_failure;

 private:
  static void destroy(future_core& core) noexcept { delete static_cast<promise_state*>(&core); }
};

}  // namespace detail

/// The writing end of a future whose value is not computed by a task. Code on any thread, such as
/// another library's callback, sets the value. T is a value, a reference or void. Move-only. Only
/// one thread at a time may use a promise.
///
/// The future belongs to a runtime, so it can be awaited and continued like any other future. The
/// runtime's destructor and `runtime::stop` wait until the promise has a value or an exception, or
/// is destroyed. A task that waits for the future occupies its worker, which runs nothing else
/// meanwhile, so the code that sets the value must not need that worker. A coroutine that awaits
/// the future occupies no worker.
template <typename T = void>
class promise {
 public:
  /// Creates a promise whose future belongs to `runtime`. Throws std::bad_alloc. Throws
  /// evencube::error in a forked child, and, if the runtime is being stopped, on threads that run
  /// none of its tasks.
  explicit promise(runtime& runtime) : workers_(&detail::workers_of(runtime)) {
    auto made = std::make_unique<detail::promise_state<T>>(*workers_);
    detail::count_promise(*workers_);
    state_ = made.release();
  }
  promise(promise&& other) noexcept
      : workers_(other.workers_),
        state_(std::exchange(other.state_, nullptr)),
        handed_out_(other.handed_out_) {}
  promise& operator=(promise&& other) noexcept {
    promise(std::move(other)).swap(*this);
    return *this;
  }
  /// If neither a value nor an exception was set, the future ends with an evencube::error
  /// exception.
  ~promise() {
    if (state_ != nullptr) end_with_exception(detail::broken_promise());
  }
  /// Swaps the two promises.
  void swap(promise& other) noexcept {
    std::swap(workers_, other.workers_);
    std::swap(state_, other.state_);
    std::swap(handed_out_, other.handed_out_);
  }

  /// Returns true until a value or an exception is set, or the promise is moved from. If the
  /// promise is not valid, all members except `valid`, `swap` and the assignment throw
  /// evencube::error.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  /// Returns the promise's future. Throws evencube::error if called a second time.
  [[nodiscard]] future<T> get_future() {
    require_state();
    if (handed_out_) detail::throw_spent_promise("the future was taken before");
    handed_out_ = true;
    return detail::future_access::make<T>(state_);
  }
  /// Constructs the value from the arguments and makes the future ready. Waiters are woken and
  /// continuations are queued, as if a task had ended. If the construction throws, the promise is
  /// unchanged.
  template <typename... Arguments>
    requires rule::makes_the_value_of_a_promise<T, Arguments...>
  void set_value(Arguments&&... arguments) {
    require_state();
    state_->make_value(std::forward<Arguments>(arguments)...);
    end(false);
  }
  /// Ends the future with the exception `failure`. Throws evencube::error if `failure` is null.
  void set_exception(std::exception_ptr failure) {
    require_state();
    if (failure == nullptr) detail::throw_spent_promise("set_exception: there is no exception");
    end_with_exception(std::move(failure));
  }

 private:
  void require_state() const {
    if (state_ == nullptr) {
      detail::throw_spent_promise("it has a value already, or was moved from");
    }
    state_->check_process();
  }
  void end_with_exception(std::exception_ptr failure) noexcept {
    state_->keep_failure(std::move(failure));
    end(true);
  }
  void end(bool threw) noexcept {
    auto* const ended = std::exchange(state_, nullptr);
    detail::end_promise(*ended, threw, *workers_);
    if (!handed_out_) ended->drop();
    ended->drop();
  }

  detail::all_workers* workers_;
  detail::promise_state<T>* state_ = nullptr;
  bool handed_out_ = false;
};

}  // namespace evencube
