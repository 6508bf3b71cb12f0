#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include <evencube/balancers/fraction.hpp>
#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan.hpp>

/// Products and quotients of quanta without rounding. A load has up to 63 bits, and a capacity read
/// as a whole number up to 100, so a product may need more than 128. `product` has room for it, and
/// a quotient is an estimate that is corrected by comparing products.
namespace evencube {

__extension__ using wide = unsigned __int128;
__extension__ using signed_wide = __int128;

/// A product of whole numbers, below 2^512.
class product {
 public:
  product(std::initializer_list<wide> factors) noexcept;
  void times(wide factor) noexcept;
  [[nodiscard]] long double estimate() const noexcept;
  friend std::strong_ordering operator<=>(const product& a, const product& b) noexcept;
  friend bool operator==(const product& a, const product& b) noexcept = default;

 private:
  std::array<std::uint64_t, 8> limbs_{};  // the lowest first
};

/// above / below, below > 0, as a whole number, at most the largest load.
[[nodiscard]] load_type quotient(const product& above, const product& below, rounding mode);

/// a * b / (c * d), c and d > 0, as a whole number, at most the largest load. It is fast if both
/// products fit into 128 bits, and faster if they fit into 64.
[[nodiscard]] load_type quotient_of(wide a, wide b, wide c, wide d, rounding mode);

/// Compares a * b with c * d.
[[nodiscard]] std::strong_ordering compare_products(wide a, wide b, wide c, wide d);

/// Writes whole numbers in the proportions of `values` (each finite and >= 0), none above `most`,
/// which is at least 10^6. They are exact in two cases: every value stands for a fraction with a
/// denominator of at most 2^20, and all of these have a common denominator below 2^40; or the
/// shortest decimals of the values, digit below digit, fit below `most`. Otherwise the digits that
/// do not fit are rounded, but no positive value becomes 0.
void proportions(std::span<const double> values, wide most, std::vector<wide>& whole);

/// Leaves room for the sum of 2^24 capacities.
inline constexpr wide most_capacity = wide{1} << 100;

}  // namespace evencube
