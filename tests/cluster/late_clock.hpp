#pragma once

#include <atomic>

namespace evencube::test {

/// Takes the turn from a thread at a certain place: where it looks at the clock. Of no effect where
/// a sanitizer stands before the C library's functions.
struct late_clock {
  /// While it is set, threads that are to be late stay at the clock, each for up to 2 ms.
  static std::atomic<bool> closed;
  /// Whether one has come there since this was set to false.
  static std::atomic<bool> somebody_waits;
  /// Of the calling thread.
  static void be_late() noexcept;
};

}  // namespace evencube::test
