#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

#include <evencube/detail/compiler.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/std_policy.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Ends the lifetime of `failure` and throws the exception that it holds.
[[noreturn]] EVENCUBE_EXPORT void rethrow(std::exception_ptr& failure);

/// Called when the forked task has ended: notifies the owner. The task may be gone afterwards.
inline void finish(fork_task& self, std::uintptr_t outcome) noexcept {
  using bell_type = basic_signal_word<std_policy>;
  static_assert(alignof(bell_type) > fork_bits);
  // Release: pairs with the acquire loads of the owner, which then reads result and failure.
  // Acquire: what the owner did before it set `fork_awaited`.
  const std::uintptr_t before = self.state_.fetch_or(outcome, std::memory_order_acq_rel);
  if ((before & fork_awaited) != 0) {
    auto* const bell = reinterpret_cast<bell_type*>(before & ~std::uintptr_t{fork_bits});
    bell->raise(signal_done);
  }
}

/// Runs the body of the forked task, stores its exception in `failure` (raw memory until then) and
/// notifies the owner.
template <typename Body>
void complete(fork_task& self, Body&& body, std::exception_ptr& failure) noexcept {
  std::uintptr_t outcome = fork_done;
  try {
    body();
  } catch (...) {
    ::new (&failure) std::exception_ptr(std::current_exception());
    outcome |= fork_failed;
  }
  detail::finish(self, outcome);
}

/// True if a forked task that is done threw an exception.
inline bool fork_threw(const fork_task& done) noexcept {
  return (done.state_.load(std::memory_order_relaxed) & fork_failed) != 0;
}

}  // namespace evencube::detail
