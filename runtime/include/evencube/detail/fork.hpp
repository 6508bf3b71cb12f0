#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/forked.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// What a fork keeps of a result of type T: std::monostate in place of void. References stay.
template <typename T>
using value_of_call =
    std::conditional_t<std::is_void_v<T>, std::monostate,
                       std::conditional_t<std::is_reference_v<T>, T, std::remove_cv_t<T>>>;

/// Calls `f` and returns its result; std::monostate in place of void.
template <typename F>
auto call_for_value(F&& f) -> value_of_call<decltype(f())> {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    return std::monostate{};
  } else {
    return f();
  }
}

[[noreturn]] EVENCUBE_EXPORT void throw_outside(const char* what);

/// The right half of a fork, on the forking worker's stack. It holds the function, then the
/// function's result or exception. `state_` tells which.
template <typename G>
struct forked : fork_task {
  using result = decltype(detail::call_for_value(std::declval<G&>()));
  // A union cannot hold a reference.
  using kept =
      std::conditional_t<std::is_reference_v<result>, std::remove_reference_t<result>*, result>;

  explicit forked(G&& g) : function_(std::forward<G>(g)) { execute_ = &run; }
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;
  ~forked() {}

  static void run(task& t, runner&) noexcept {
    auto& self = static_cast<forked&>(t);
    detail::complete(
        self,
        [&] {
          void* const place = std::addressof(self.result_);
          if constexpr (std::is_reference_v<result>) {
            auto&& given = self.function_();
            ::new (place) kept(std::addressof(given));
          } else {
            ::new (place) kept(detail::call_for_value(self.function_));
          }
        },
        self.failure_);
  }

  /// Takes the result that another worker left, or rethrows its exception.
  result collect() {
    if (detail::fork_threw(*this)) detail::rethrow(failure_);
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*result_);
    } else {
      struct end {
        result& value;
        ~end() { value.~result(); }
      } const after{result_};  // even if its move throws
      return std::move(result_);
    }
  }

  // A temporary function object is moved in; a named one is referred to.
  G function_;
  union {
    kept result_;
    std::exception_ptr failure_;
  };
};

inline slot_word lazy_slot(const fork_task* right) noexcept {
  // A sum, not a bitwise or, because it is one instruction together with the address.
  return reinterpret_cast<std::uintptr_t>(static_cast<const task*>(right)) + (lazy_bit | fork_bit);
}

/// Takes the right half back after the left half, if no worker took it. Returns false if it has
/// ended on another worker. It reads the worker and the address again, because values kept over the
/// call of the left half would cost a saved register each in every frame of a recursion. Throws
/// evencube::error in a forked child whose parent has begun the right half elsewhere.
inline bool take_back(fork_task& right) {
  fork_task* self = &right;
  __asm__("" : "+r"(self));  // a new value for the compiler
  worker& w = *current_worker;
  return w.queue().pop_exactly(detail::lazy_slot(self)) || w.settle(right);
}

/// Cleans up after a left half that threw. The right half is dropped if no worker has begun it.
/// Otherwise this waits for it and drops its result or exception. At most one exception can leave a
/// fork.
template <typename Forked>
[[gnu::cold, gnu::noinline]] void abandon(Forked& right) noexcept {
  try {
    if (!detail::take_back(right)) right.collect();
  } catch (...) {
  }
}

}  // namespace evencube::detail
