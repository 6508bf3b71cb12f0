#pragma once

// Included before everything else that is compiled for Windows (cmake/windows.cmake). GCC 12's
// std::atomic::wait, and with it std::latch, std::barrier and semaphores, loses wake-ups there:
// <bits/atomic_wait.h> compares the value before it locks the mutex of its condition variable. The
// tests use them, so they get what that header asks of platforms with something better.
#include <chrono>
#include <cstdint>

extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void*, void*, unsigned long long,
                                                  unsigned long);
__declspec(dllimport) void __stdcall WakeByAddressSingle(void*);
__declspec(dllimport) void __stdcall WakeByAddressAll(void*);
}

#define _GLIBCXX_HAVE_PLATFORM_WAIT 1
#define _GLIBCXX_HAVE_PLATFORM_TIMED_WAIT 1

namespace std::__detail {

template <typename T>
void __platform_wait(const T* word, std::uint64_t old) noexcept {
  WaitOnAddress(const_cast<T*>(word), &old, sizeof old, ~0UL);
}

template <typename T>
void __platform_notify(const T* word, bool all) noexcept {
  (all ? WakeByAddressAll : WakeByAddressSingle)(const_cast<T*>(word));
}

// Looks at the clock each millisecond. False if the time has come.
template <typename Clock, typename Duration>
bool __platform_wait_until(const std::uint64_t* word, std::uint64_t old,
                           const std::chrono::time_point<Clock, Duration>& limit) {
  for (;;) {
    if (WaitOnAddress(const_cast<std::uint64_t*>(word), &old, sizeof old, 1) != 0) return true;
    if (Clock::now() >= limit) return false;
  }
}

}  // namespace std::__detail
