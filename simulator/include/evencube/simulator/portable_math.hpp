#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace evencube::simulator {

// Versions of the standard library may round logarithms differently, which would change simulated
// times. These functions use only the four basic operations, whose results IEEE 754 fixes.

/// Returns the natural logarithm of a positive normal number, within 2 units in the last place.
/// Source: ln m = 2 artanh((m - 1)/(m + 1)), m in [sqrt(1/2), sqrt(2)); the series is truncated
/// where its terms fall below 2^-56.
[[nodiscard]] constexpr double portable_log(double x) noexcept {
  constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t sqrt_half_mantissa = 0x6A09E667F3BCD;  // of sqrt(2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  std::uint64_t mantissa = bits & mantissa_mask;
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  std::uint64_t biased = 1023;
  if (mantissa > sqrt_half_mantissa) {  // bring m into [sqrt(1/2), sqrt(2))
    biased = 1022;
    ++exponent;
  }
  const double m = std::bit_cast<double>((biased << 52) | mantissa);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  const double w = z * z;
  // The even and odd powers of z are summed separately: two short chains of additions instead of
  // one long chain.
  const double odd = 1.0 / 3 + w * (1.0 / 7 + w * (1.0 / 11 + w * (1.0 / 15 + w * (1.0 / 19))));
  const double even = 1.0 / 5 + w * (1.0 / 9 + w * (1.0 / 13 + w * (1.0 / 17 + w * (1.0 / 21))));
  const double tail = z * (odd + z * even);
  constexpr double ln2_high = 0x1.62e42fefa38p-1;  // 42 bits: products with exponents are exact
  constexpr double ln2_low = 0x1.ef35793c7673p-45;
  const auto e = static_cast<double>(exponent);
  return e * ln2_high + (2.0 * s + (2.0 * s * tail + e * ln2_low));
}

/// Returns e to the power of x for |x| < 700, within 2 units in the last place.
[[nodiscard]] constexpr double portable_exp(double x) noexcept {
  if (x > 709.0) return std::numeric_limits<double>::infinity();
  if (x < -708.0) return 0.0;
  constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
  constexpr double ln2_high = 0x1.62e42fefa38p-1;
  constexpr double ln2_low = 0x1.ef35793c7673p-45;
  const double scaled = x * inverse_ln2;
  const auto k = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double r = (x - static_cast<double>(k) * ln2_high) - static_cast<double>(k) * ln2_low;
  double sum = 1.0;
  for (int n = 14; n >= 1; --n) sum = 1.0 + sum * r / n;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

}  // namespace evencube::simulator
