#pragma once

#include <cstdint>

namespace evencube::lab {

/// Vigna's splitmix64: the same numbers on every machine.
class splitmix {
 public:
  explicit splitmix(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t operator()() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Returns a number in [0, bound), bound >= 1.
  std::uint64_t below(std::uint64_t bound) noexcept { return (*this)() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace evencube::lab
