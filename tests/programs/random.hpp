#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace evencube::programs {

/// Random numbers that are the same with every standard library, so that a seed names a program
/// everywhere (splitmix64 of Steele, Lea and Flood).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// In [low, high].
  int in(int low, int high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<int>(next() % span);
  }
  /// True in `percent` cases of a hundred.
  bool chance(int percent) { return in(0, 99) < percent; }
  /// One of the indices of `weights`, each as often as its weight says.
  std::size_t weighted(std::initializer_list<int> weights) {
    int sum = 0;
    for (const int w : weights) sum += w;
    int left = in(0, sum - 1);
    std::size_t i = 0;
    for (const int w : weights) {
      if ((left -= w) < 0) break;
      ++i;
    }
    return i;
  }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[static_cast<std::size_t>(in(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace evencube::programs
