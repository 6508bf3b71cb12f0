#pragma once

#include <atomic>
#include <cstddef>

namespace evencube::test {

/// Calls a function whenever a thread allocates or frees much memory. Of no effect where a
/// sanitizer has its own operator new.
struct long_allocations {
  /// From this many bytes on.
  static constexpr std::size_t least = std::size_t{1} << 20;
  /// The function, or null. It must not allocate as much itself.
  static std::atomic<void (*)()> called;
  /// False in a program with a sanitizer.
  static const bool seen;
};

}  // namespace evencube::test
