#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/invoke.hpp>
#include <evencube/detail/stopping.hpp>
#include <evencube/detail/time_limit.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/fork_join.hpp>

namespace evencube {

struct spawn_options;

namespace detail {

[[noreturn]] EVENCUBE_EXPORT void throw_spent_future();
/// Blocks until the task has ended, or until the time `deadline_ns` of `now_ns`; see
/// `future::wait`. Returns true if the task has ended.
EVENCUBE_EXPORT bool wait_for_future(future_core& awaited, std::int64_t deadline_ns = no_deadline);
/// Queues the task of a future. The task counts for the destructor of the runtime until it ends.
/// Throws as `spawn` does, and has then not touched the holders of the future.
EVENCUBE_EXPORT void spawn_future(all_workers& workers, future_core& task,
                                  const spawn_options& options,
                                  const std::type_info* type = nullptr);
/// Called when a worker has run the task to its end: wakes the waiters, releases the futures that
/// need this one, and reports the end to the runtime.
EVENCUBE_EXPORT void end_future(future_core& ended, bool threw, worker& caller) noexcept;

/// True if the runtime of the worker has been stopped. Then `stopped_failure` is the result of a
/// task that begins now.
EVENCUBE_EXPORT bool runtime_stopped(worker& caller) noexcept;
EVENCUBE_EXPORT std::exception_ptr stopped_failure() noexcept;

EVENCUBE_EXPORT std::uint64_t runtime_id_of(all_workers& workers) noexcept;
/// Throws evencube::error, beginning with `what`, if the runtime with this number is gone.
EVENCUBE_EXPORT void require_runtime(std::uint64_t runtime_id, const char* what);
/// The number of the runtime whose task calls; 0 outside of tasks.
EVENCUBE_EXPORT std::uint64_t runtime_id_here() noexcept;
/// The number of the runtime in which a continuation of `antecedent` runs. Throws evencube::error
/// if there is none.
EVENCUBE_EXPORT std::uint64_t runtime_of_continuation(const future_core& antecedent);
/// Lets `consumer` run when `antecedent` has ended, and gives it the caller's hold of `antecedent`.
/// Throws as `spawn` does, and evencube::error if the runtime is gone; it has then done nothing.
EVENCUBE_EXPORT void continue_with(future_core& antecedent, future_core& consumer,
                                   const spawn_options& options);
/// Attaches a future to all futures that it needs. It ends when all or any of them have ended.
EVENCUBE_EXPORT void need_several(future_core& consumer) noexcept;
/// The number of the runtime of the futures; 0 if they have none. Throws evencube::error if they
/// have different ones.
EVENCUBE_EXPORT std::uint64_t common_runtime(future_core* const* futures, std::size_t count);

/// How the result of a call is kept: a value as it is, void as std::monostate, a reference as a
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

/// The state of a future: the result or exception of its task, once it is done.
template <typename T>
class future_state : public future_core {
 public:
  using value_type = kept<T>;

  /// Takes the result out, or throws the exception. Call once, after `done`.
  T take() {
    if (needs() != nullptr) close();
    if (threw()) std::rethrow_exception(take_failure());
    return detail::give_back<T>(value_);
  }
  std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

 protected:
  future_state(std::uint64_t runtime_id, stage at, std::uint32_t holders,
               void (*execute)(task&, runner&) noexcept, void (*destroy)(future_core&) noexcept,
               dependency* needs = nullptr)
      : future_core(runtime_id, at, holders, execute, destroy, needs) {}
  ~future_state() {
    if (!done()) return;
    if (threw()) {
      failure_.~exception_ptr();
    } else {
      value_.~value_type();
    }
  }

  /// Stores the result of `f()`, or its exception, and returns true if it threw.
  template <typename F>
  bool keep_result_of(F& f) noexcept {
    try {
      ::new (static_cast<void*>(std::addressof(value_))) value_type(detail::call_to_keep(f));
      return false;
    } catch (...) {
      keep_failure(std::current_exception());
      return true;
    }
  }
  /// True if the task must not be called, because its runtime has been stopped. The failure is then
  /// stored.
  bool dropped(worker& caller) noexcept {
    if (stopped_groups.load(std::memory_order_relaxed) == 0 || !detail::runtime_stopped(caller)) {
      return false;
    }
    keep_failure(detail::stopped_failure());
    return true;
  }
  void keep_failure(std::exception_ptr&& failure) noexcept {
    ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::move(failure));
  }

  union {
    value_type value_;
    std::exception_ptr failure_;
  };
};

/// A state together with the function that computes the result.
template <typename F, typename T>
class future_task final : public future_state<T> {
 public:
  template <typename G>
  future_task(all_workers& workers, G&& function)
      : future_state<T>(detail::runtime_id_of(workers), future_core::stage::released, 2, &run,
                        &destroy),
        function_(std::forward<G>(function)) {}
  ~future_task() {
    if (!this->done()) function_.~F();
  }

 private:
  static void run(task& t, runner& base) noexcept {
    auto& caller = static_cast<worker&>(base);
    auto& self = static_cast<future_task&>(t);
    const bool threw = self.dropped(caller) || self.keep_result_of(self.function_);
    self.function_.~F();
    detail::end_future(self, threw, caller);
  }
  static void destroy(future_core& core) noexcept { delete static_cast<future_task*>(&core); }

  union {  // its lifetime ends in `run`, because it must not outlive the task
    F function_;
  };
};

/// A task that is called with the result of another one, of type From.
template <typename F, typename From, typename T>
class continuation final : public future_state<T> {
 public:
  /// Takes over a hold of `antecedent` when it is run.
  template <typename G>
  continuation(future_state<From>& antecedent, G&& function, std::uint32_t cost,
               std::optional<unsigned> home, priority level, const char* name)
      : future_state<T>(detail::runtime_of_continuation(antecedent), future_core::stage::unreleased,
                        2, &run, &destroy, &needs_),
        antecedent_(&antecedent),
        needs_{dependency::kind::then, 1, &antecedent_, 1, 0, cost, home, level, name},
        function_(std::forward<G>(function)) {}
  ~continuation() {
    if (!this->done()) function_.~F();
  }

 private:
  static void run(task& t, runner& base) noexcept {
    auto& caller = static_cast<worker&>(base);
    auto& self = static_cast<continuation&>(t);
    self.close();
    auto& from = static_cast<future_state<From>&>(*self.antecedent_);
    bool threw = from.threw();
    if (threw) {
      self.keep_failure(from.take_failure());
    } else if (self.dropped(caller)) {
      threw = true;
    } else {
      const auto call = [&]() -> T {
        if constexpr (std::is_void_v<From>) {
          return self.function_();
        } else {
          return detail::invoke(self.function_, from.take());
        }
      };
      threw = self.keep_result_of(call);
    }
    self.function_.~F();
    from.drop();
    detail::end_future(self, threw, caller);
  }
  static void destroy(future_core& core) noexcept { delete static_cast<continuation*>(&core); }

  future_core* antecedent_;
  dependency needs_;
  union {
    F function_;
  };
};

/// The state of a future that was never a task.
template <typename T>
class ready_state final : public future_state<T> {
 public:
  template <typename... Arguments>
  explicit ready_state(std::uint64_t runtime_id, Arguments&&... value)
      : future_state<T>(runtime_id, future_core::stage::ended, 1, nullptr, &destroy) {
    ::new (static_cast<void*>(std::addressof(this->value_)))
        kept<T>(std::forward<Arguments>(value)...);
  }

 private:
  static void destroy(future_core& core) noexcept { delete static_cast<ready_state*>(&core); }
};

}  // namespace detail

}  // namespace evencube
