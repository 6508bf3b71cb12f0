#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// Holds the first exception among the tasks of a group. Any thread may store one, and any thread
/// may take it; if several take, one gets it. The owner of this object calls `rethrow` or `forget`
/// in the end. There is no destructor that does so, because it would make every call with a loop
/// larger, too large to be inlined.
class first_failure {
 public:
  first_failure() noexcept {}
  first_failure(const first_failure&) = delete;
  first_failure& operator=(const first_failure&) = delete;
  ~first_failure() {}

  /// Stores the exception being handled if none is stored. Call from a handler.
  void keep() noexcept {
    std::uint32_t none = 0;
    // Elects the thread that writes. Acquire: pairs with the release in `rethrow_kept`.
    if (!state_.compare_exchange_strong(none, writing, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      return;
    }
    ::new (static_cast<void*>(&kept_)) std::exception_ptr(std::current_exception());
    // Release: pairs with the acquire in `rethrow`.
    state_.store(kept, std::memory_order_release);
  }

  /// True if an exception is stored: a hint that further work is in vain.
  [[nodiscard]] bool present() const noexcept {
    return state_.load(std::memory_order_relaxed) != 0;
  }

  /// Throws the stored exception and forgets it. Does nothing if there is none, or another thread
  /// took it.
  void rethrow() {
    if (present()) rethrow_kept();
  }
  /// Drops the stored exception, once no other thread can access it.
  void forget() noexcept {
    if (present()) kept_.~exception_ptr();
  }

 private:
  static constexpr std::uint32_t writing = 1;
  static constexpr std::uint32_t kept = 2;
  static constexpr std::uint32_t taking = 3;

  EVENCUBE_EXPORT void rethrow_kept();

  std::atomic<std::uint32_t> state_{0};
  union {
    std::exception_ptr kept_;  // exists while the state says so
  };
};

}  // namespace evencube::detail
