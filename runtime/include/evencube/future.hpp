#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/fork_join.hpp>

namespace evencube {

template <typename T>
class future;
struct spawn_options;

namespace detail {

[[noreturn]] void throw_spent_future();
/// Blocks until the task has ended; see `future::wait`.
void wait_for_future(future_core& awaited);
/// Queues the task of a future, which counts for the runtime's destructor until it ends. Throws as
/// `spawn` does, and has then not touched the future's holders.
void spawn_future(scheduler& of, future_core& task, const spawn_options& options);
/// The task has ended: wakes who waits, and tells the runtime.
void end_future(future_core& ended, bool threw, scheduler& of) noexcept;

/// How the result of a call is kept until it is asked for: void as a value, a reference as a
/// pointer.
template <typename T>
using kept = std::conditional_t<
    std::is_void_v<T>, std::monostate,
    std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, std::remove_cv_t<T>>>;

template <typename F>
auto call_to_keep(F& f) -> kept<decltype(f())> {
  if constexpr (std::is_reference_v<decltype(f())>) {
    auto&& result = f();
    return std::addressof(result);
  } else {
    return detail::call_for_value(f);
  }
}

template <typename T>
T give_back(kept<T>& value) {
  if constexpr (std::is_reference_v<T>) {
    return static_cast<T>(*value);
  } else if constexpr (!std::is_void_v<T>) {
    return std::move(value);
  }
}

/// What a future looks at: its task's result or exception, once it is done.
template <typename T>
class future_state : public future_core {
 public:
  using value_type = kept<T>;

  /// Takes the result out, or throws. Once, after `done`.
  T take() {
    if (threw()) std::rethrow_exception(std::exchange(failure_, nullptr));
    return detail::give_back<T>(value_);
  }

 protected:
  future_state(scheduler& of, void (*execute)(task&, worker&) noexcept,
               void (*destroy)(future_core&) noexcept)
      : future_core(of, execute, destroy) {}
  ~future_state() {
    if (!done()) return;
    if (threw()) {
      failure_.~exception_ptr();
    } else {
      value_.~value_type();
    }
  }

  union {
    value_type value_;
    std::exception_ptr failure_;
  };
};

/// The same with the function that computes it.
template <typename F, typename T>
class future_task final : public future_state<T> {
 public:
  template <typename G>
  future_task(scheduler& of, G&& function)
      : future_state<T>(of, &run, &destroy), function_(std::forward<G>(function)) {}
  ~future_task() {
    if (!this->done()) function_.~F();
  }

 private:
  static void run(task& t, worker& by) noexcept {
    auto& self = static_cast<future_task&>(t);
    bool threw = false;
    try {
      ::new (static_cast<void*>(std::addressof(self.value_)))
          kept<T>(detail::call_to_keep(self.function_));
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(self.failure_)))
          std::exception_ptr(std::current_exception());
      threw = true;
    }
    self.function_.~F();
    detail::end_future(self, threw, by.scheduler());
  }
  static void destroy(future_core& core) noexcept { delete static_cast<future_task*>(&core); }

  union {  // ended by `run`: what it holds is not to outlive the task
    F function_;
  };
};

/// Made by `runtime::async`.
template <typename T, typename F>
future<T> make_future(scheduler& of, F&& f, const spawn_options& options) {
  using task_type = future_task<std::decay_t<F>, T>;
  auto made = std::make_unique<task_type>(of, std::forward<F>(f));
  detail::spawn_future(of, *made, options);
  return future<T>(made.release());
}

}  // namespace detail

/// What `runtime::async` will have computed. Move-only. May be dropped: the task runs all the same.
/// May outlive its runtime, whose destructor runs the task to its end. After `get`, or moved from,
/// all members throw evencube::error. One thread at a time may use one future object.
template <typename T>
class future {
 public:
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    future(std::move(other)).swap(*this);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->drop();
  }
  void swap(future& other) noexcept { std::swap(state_, other.state_); }

  /// Whether `get` would return or throw at once.
  [[nodiscard]] bool ready() const { return state().done(); }

  /// Waits; may be called from any thread. A worker that waits runs the task itself if nobody has
  /// begun it, and what it spawns. Throws evencube::error for a thread that holds the runtime, and
  /// in a forked child, if the task has not ended.
  void wait() const { detail::wait_for_future(state()); }

  /// Waits and returns the value or throws the task's exception. Once.
  T get() {
    wait();
    const future spent(std::move(*this));
    return spent.state_->take();
  }

 private:
  template <typename U, typename F>
  friend future<U> detail::make_future(detail::scheduler& of, F&& f, const spawn_options& options);

  explicit future(detail::future_state<T>* state) noexcept : state_(state) {}

  [[nodiscard]] detail::future_state<T>& state() const {
    if (state_ == nullptr) detail::throw_spent_future();
    return *state_;
  }

  detail::future_state<T>* state_;
};

}  // namespace evencube
