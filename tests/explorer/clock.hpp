#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace evencube::explorer {

/// Threads of a run: 0 sets up and checks, the others are explored.
inline constexpr unsigned max_threads = 8;

/// Finaliser of a 64-bit hash: every bit of the argument moves every bit of the result.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  return x;
}
/// Of two, in this order. Not zero for two zeros, so that a sequence of zeros counts its steps.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  return mix(a * 0x9e3779b97f4a7c15U + mix(b + 0x2545f4914f6cdd1dU));
}

/// How far into each thread's steps something knows: the happens-before relation. Steps count from
/// 1 on and stay below `never`.
struct vector_clock {
  std::array<std::uint16_t, max_threads> at{};

  static constexpr std::uint16_t never = 0xffff;

  void join(const vector_clock& other) noexcept {
    for (unsigned i = 0; i < max_threads; ++i) at[i] = std::max(at[i], other.at[i]);
  }
  /// Whether one of these steps, one of each thread and `never` where there is none, is among those
  /// that `other` knows.
  [[nodiscard]] bool any_within(const vector_clock& other) const noexcept {
    bool any = false;
    for (unsigned i = 0; i < max_threads; ++i) any |= at[i] <= other.at[i];
    return any;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < max_threads; i += 4) {
      std::uint64_t four = 0;
      for (unsigned j = i; j < i + 4; ++j) four = four << 16 | at[j];
      all = mix(all, four);
    }
    return all;
  }
};

}  // namespace evencube::explorer
