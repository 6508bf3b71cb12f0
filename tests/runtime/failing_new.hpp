#pragma once

#include <cstdint>

namespace evencube::test {

/// Memory for the whole program that runs out on purpose: in a test that links failing_new.cpp,
/// `operator new` fails when it is told to. Thread-safe.
class failing_new {
 public:
  /// Which allocations fail, counted from this call, whatever thread makes them.
  enum class kind { one, all_from };

  /// From now on allocation number `nth`, from 0, fails; or that and all that follow.
  static void begin(std::uint64_t nth, kind which) noexcept;
  /// None fails any more. True if any did since `begin`.
  static bool end() noexcept;
};

}  // namespace evencube::test
