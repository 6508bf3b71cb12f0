#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/forked.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube {

namespace detail {

/// Calls `f`; void becomes a value.
template <typename F>
auto call_for_value(F&& f) {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    return std::monostate{};
  } else {
    return f();
  }
}

[[noreturn]] EVENCUBE_EXPORT void throw_outside(const char* what);

/// The right half of a fork, on the forking worker's stack. Holds the function, later its result or
/// its exception; which one, `state_` tells.
template <typename G>
struct forked : fork_task {
  using result = decltype(detail::call_for_value(std::declval<G&>()));

  explicit forked(G&& g) : function_(std::forward<G>(g)) { execute_ = &run; }
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;
  ~forked() {}

  static void run(task& t, worker&) noexcept {
    auto& self = static_cast<forked&>(t);
    detail::complete(
        self,
        [&] {
          ::new (static_cast<void*>(std::addressof(self.result_)))
              result(detail::call_for_value(self.function_));
        },
        self.failure_);
  }

  /// Takes out what another worker left. Rethrows its exception.
  result collect() {
    if (detail::fork_threw(*this)) detail::rethrow(failure_);
    struct end {
      result& of;
      ~end() { of.~result(); }
    } const after{result_};  // even if moving it out throws
    return std::move(result_);
  }

  // A temporary function object is moved in, a named one referred to.
  G function_;
  union {
    result result_;
    std::exception_ptr failure_;
  };
};

inline slot_word lazy_slot(const fork_task* right) noexcept {
  // Sum, not bitwise or: one instruction with the address.
  return reinterpret_cast<std::uintptr_t>(static_cast<const task*>(right)) + (lazy_bit | fork_bit);
}

/// After the left half: takes the right half back if nobody took it. False if it has ended on
/// another worker. Asks for the worker and for the address anew, because values kept over the call
/// of the left half would cost a saved register each, in every frame of a recursion. Throws
/// evencube::error in a forked child whose parent has begun the right half elsewhere.
inline bool take_back(fork_task& right) {
  fork_task* self = &right;
  __asm__("" : "+r"(self));  // a new value, as far as the compiler knows
  worker& w = *current_worker;
  return w.pop_exactly(detail::lazy_slot(self)) || w.settle(right);
}

/// The left half threw: the right half is dropped if nobody has begun it, else awaited and its
/// outcome dropped. At most one exception can leave a fork.
template <typename Forked>
[[gnu::cold, gnu::noinline]] void abandon(Forked& right) noexcept {
  try {
    if (!detail::take_back(right)) right.collect();
  } catch (...) {
  }
}

}  // namespace detail

/// Calls `f` and `g`, perhaps at the same time: `g` is offered to other workers while this one runs
/// `f`; if nobody took it, it is called here. Returns when both have returned: a pair of their
/// results (`std::monostate` for a void one, a copy of what a reference refers to), or nothing if
/// both are void.
///
/// No allocation: the offered half lives on this stack. While it waits for a `g` taken by another
/// worker it runs only what `g` itself forks or spawns.
///
/// If `f` throws, `g` may not run at all, and its exception is lost if it throws too; else the
/// exception of `g` is thrown. Both have ended when an exception leaves.
/// Throws evencube::error outside of a runtime's tasks, and in a child that `f` has forked while
/// another worker ran `g`.
template <rule::callable_in_place F, rule::callable_in_place G>
auto fork_join(F&& f, G&& g) {
  using detail::worker;
  worker* const by = detail::current_worker;
  if (by == nullptr) [[unlikely]] {
    detail::throw_outside("fork_join");
  }
  detail::forked<G> right{std::forward<G>(g)};
  by->push(detail::lazy_slot(&right), nullptr, detail::type_of_function<std::remove_cvref_t<G>>());
  auto left_result = [&] {
    try {
      return detail::call_for_value(f);
    } catch (...) {
      detail::abandon(right);
      throw;
    }
  }();
  constexpr bool all_void = std::is_void_v<decltype(f())> && std::is_void_v<decltype(g())>;
  if (detail::take_back(right)) [[likely]] {
    if constexpr (all_void) {
      right.function_();
    } else {
      return std::pair{std::move(left_result), detail::call_for_value(right.function_)};
    }
  } else {
    if constexpr (all_void) {
      right.collect();
    } else {
      return std::pair{std::move(left_result), right.collect()};
    }
  }
}

}  // namespace evencube
