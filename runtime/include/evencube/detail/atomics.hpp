#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// Waits on a 32-bit word and wakes its waiters, through the futex of the kernel.
EVENCUBE_EXPORT void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
EVENCUBE_EXPORT void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                    std::int64_t nanoseconds) noexcept;
EVENCUBE_EXPORT void futex_wake(std::atomic<std::uint32_t>& word, int how_many) noexcept;
EVENCUBE_EXPORT void yield_processor() noexcept;
/// The time in nanoseconds on a clock that never goes back and is common to all threads.
EVENCUBE_EXPORT std::int64_t now_ns() noexcept;

/// Prefetches the cache line of any address, from which this thread is about to read.
inline void fetch_to_read([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}
/// Prefetches the cache line of any address, to which this thread is about to write. On any x86-64
/// the builtin asks only for a line to read.
inline void fetch_to_write([[maybe_unused]] const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
#endif
}

/// The policy on which the protocols are built. Tests inject another policy with the same names,
/// and so run this code through all its interleavings.
struct EVENCUBE_EXPORT std_atomics {
  template <typename T>
  using atomic = std::atomic<T>;
  /// A member that is not atomic. The operations on the atomics around it hand it from thread to
  /// thread.
  template <typename T>
  using plain = T;

  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    futex_wait(word, expected);
  }
  static void wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t nanoseconds) noexcept {
    futex_wait_for(word, expected, nanoseconds);
  }
  static void wake(std::atomic<std::uint32_t>& word, int how_many) noexcept {
    futex_wake(word, how_many);
  }
  static std::int64_t now() noexcept { return now_ns(); }
  /// A hint to the processor that this thread waits for another one.
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// Yields this processor to a thread that waits for it.
  static void give_way() noexcept { yield_processor(); }
  /// Waits a microsecond or two for a thread on another processor.
  static void linger() noexcept {
    for (int i = 0; i < 128; ++i) pause();
  }
  /// True if protocols may read words only to prefetch memory, which is no step of a protocol.
  static constexpr bool fetches_ahead = true;
  /// A worker that never runs dry takes one task from outside each time it has run this many.
  static constexpr unsigned turn = 61;
  /// True if a protocol makes the check of this name. Tests leave out single checks, and must then
  /// find an error.
  static constexpr bool checks(const char*) noexcept { return true; }
};

}  // namespace evencube::detail
