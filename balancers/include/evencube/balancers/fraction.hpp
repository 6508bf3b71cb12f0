#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <evencube/balancers/plan.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// A rational number >= 0 in lowest terms. Parts of loads are computed exactly with fractions: a
/// third of 3 is 1, and a tenth of 10 is 1. Products of doubles do not guarantee this.
struct fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  friend bool operator==(const fraction&, const fraction&) = default;
};

/// Returns numerator / denominator in lowest terms. `denominator` must be > 0.
[[nodiscard]] EVENCUBE_EXPORT fraction make_fraction(std::uint64_t numerator,
                                                     std::uint64_t denominator) noexcept;

/// Returns the exact value of a decimal such as "0.1", "3", ".5" or "2.5e-3". Returns nothing for
/// any other text, for more than 18 decimal places, and for numbers of 2^63 or more.
[[nodiscard]] EVENCUBE_EXPORT std::optional<fraction> parse_decimal(std::string_view text) noexcept;

/// Returns the number that a double in [0, 1] represents: the simplest fraction that rounds to it,
/// with a denominator of at most 2^20 (0.1 is a tenth, 1.0 / 3 a third). If there is no such
/// fraction, returns the shortest decimal of the double, to 18 places.
[[nodiscard]] EVENCUBE_EXPORT fraction fraction_of(double value) noexcept;

/// Returns true if a < b, exactly.
[[nodiscard]] EVENCUBE_EXPORT bool less(fraction a, fraction b) noexcept;

/// Returns quanta * part, computed exactly and rounded down. `quanta` must be >= 0 and `part` at
/// most 1.
[[nodiscard]] EVENCUBE_EXPORT load_type floor_part(load_type quanta, fraction part) noexcept;
/// Returns quanta * part, computed exactly and rounded up. `quanta` must be >= 0 and `part` at most
/// 1.
[[nodiscard]] EVENCUBE_EXPORT load_type ceiling_part(load_type quanta, fraction part) noexcept;

}  // namespace evencube
