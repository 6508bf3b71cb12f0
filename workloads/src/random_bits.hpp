#pragma once

#include <cstdint>

namespace evencube::workloads {

/// By how much the state of SplitMix64 grows from one output to the next.
inline constexpr std::uint64_t split_mix_step = 0x9e3779b97f4a7c15U;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): 64 well-mixed bits of `value`.
/// Unlike the standard distributions, it gives the same on every platform.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t value) noexcept {
  value += split_mix_step;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// A stream of numbers from a seed.
class random_stream {
 public:
  explicit constexpr random_stream(std::uint64_t seed) noexcept : state_{seed} {}

  constexpr std::uint64_t next() noexcept { return mix_bits(state_++); }

  /// Uniform in [0, 1).
  constexpr double fraction() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in [first, last], up to a bias of (last - first) / 2^64.
  constexpr std::uint32_t between(std::uint32_t first, std::uint32_t last) noexcept {
    return first + static_cast<std::uint32_t>(next() % (std::uint64_t{last} - first + 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace evencube::workloads
