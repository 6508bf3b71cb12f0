#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// Waits on, and wakes through, a 32-bit word of the kernel.
EVENCUBE_EXPORT void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
EVENCUBE_EXPORT void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                    std::int64_t nanoseconds) noexcept;
EVENCUBE_EXPORT void futex_wake(std::atomic<std::uint32_t>& word, int how_many) noexcept;
EVENCUBE_EXPORT void yield_processor() noexcept;
/// Nanoseconds on a clock that never goes back, the same for all threads.
EVENCUBE_EXPORT std::int64_t now_ns() noexcept;

/// The line of any address, which this thread is about to write to, comes to its processor
/// meanwhile. The builtin asks for no more than to read it where the processor is any x86-64.
inline void fetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// What the protocols stand on. Tests inject another policy with the same names and so run the same
/// code through all its interleavings.
struct EVENCUBE_EXPORT std_atomics {
  template <typename T>
  using atomic = std::atomic<T>;
  /// Not atomic: handed from thread to thread by the operations on atomics around it.
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
  /// Lets a thread run that waits for this processor.
  static void give_way() noexcept { yield_processor(); }
  /// A microsecond or two, for a thread on another processor.
  static void linger() noexcept {
    for (int i = 0; i < 128; ++i) pause();
  }
  /// Whether protocols look at words only to have memory fetched earlier, which is no step of them.
  static constexpr bool fetches_ahead = true;
  /// A worker that never runs dry takes one task from outside each time it has run this many.
  static constexpr unsigned turn = 61;
  /// Whether a protocol makes the check of this name. Tests leave single ones out, to see that they
  /// notice.
  static constexpr bool checks(const char*) noexcept { return true; }
};

}  // namespace evencube::detail
