#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evencube::workloads {

/// A real number with 32 integer bits and a fixed number of binary places, stored as a sign and a
/// magnitude of 32-bit words. Sums and differences are exact; products are rounded towards zero.
/// Both operands must have the same number of places. Overflowing integer parts are lost.
class fixed_point {
 public:
  /// Makes zero with 32 x `words` binary places.
  explicit fixed_point(std::size_t words) : words_(words + 1) {}

  /// Parses a decimal such as -0.7436 (digits, at most one point, no exponent), accurate to two
  /// units in the last binary place. Throws std::invalid_argument for any other string, for more
  /// than `most_digits` digits, and for an integer part above 1000.
  fixed_point(std::string_view decimal, std::size_t words);

  static constexpr std::size_t most_digits = 1000;

  /// Returns the nearest double or one adjacent to it; 0 for magnitudes below 2^-1022.
  [[nodiscard]] double to_double() const noexcept;

  friend fixed_point operator+(const fixed_point& a, const fixed_point& b);
  friend fixed_point operator-(const fixed_point& a, const fixed_point& b);
  friend fixed_point operator*(const fixed_point& a, const fixed_point& b);

  /// Returns twice this number.
  [[nodiscard]] fixed_point doubled() const { return *this + *this; }

 private:
  using magnitude = std::vector<std::uint32_t>;  // least significant word first, integer part last

  static int compare(const magnitude& a, const magnitude& b) noexcept;
  static fixed_point signed_sum(const fixed_point& a, const fixed_point& b, bool b_negative);

  magnitude words_;
  bool negative_ = false;
};

}  // namespace evencube::workloads
