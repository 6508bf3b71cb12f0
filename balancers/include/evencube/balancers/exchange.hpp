#pragma once

#include <span>

#include <evencube/balancers/plan.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The rule by which the two partners of a dimension exchange divide their total load.
enum class pair_rule {
  /// The more loaded member keeps the odd unit (Rim et al. 2003, Section 2).
  dem,
  /// Members that differ by at most one unit do nothing; otherwise the lower id ends up with the
  /// odd unit. No paper prints this rule, but it gives the DEM columns of Rim et al., Table 1.
  dem_lower,
  /// If the sum is odd, the member with the lower id keeps the half that is an odd number (Section
  /// 3).
  oem
};

/// Returns the new load of the LOWER id of a pair under DEM: half the sum. The member that had more
/// gets the odd unit if the sum is odd. Both loads must be >= 0, with a sum that fits in load_type.
[[nodiscard]] constexpr load_type dem_share(load_type lower, load_type higher) noexcept {
  // The sign bit of higher - lower is set exactly when the lower id has more.
  const auto a = static_cast<std::uint64_t>(lower);
  const auto b = static_cast<std::uint64_t>(higher);
  return static_cast<load_type>((a + b + ((b - a) >> 63)) >> 1);
}

/// Returns the new load of the LOWER id of a pair under dem_lower: half the sum, rounded up unless
/// the higher id has exactly one unit more. Both loads must be >= 0, with a sum that fits in
/// load_type.
[[nodiscard]] constexpr load_type dem_lower_share(load_type lower, load_type higher) noexcept {
  const auto a = static_cast<std::uint64_t>(lower);
  const auto b = static_cast<std::uint64_t>(higher);
  return static_cast<load_type>((a + b + (b - a != 1 ? 1U : 0U)) >> 1);
}

/// Returns the new load of the LOWER id of a pair under OEM: half the sum. The halves of an odd sum
/// differ by one; the lower id gets the half that is an odd number.
[[nodiscard]] constexpr load_type oem_share(load_type lower, load_type higher) noexcept {
  const auto sum = static_cast<std::uint64_t>(lower) + static_cast<std::uint64_t>(higher);
  return static_cast<load_type>(sum >> 1 | (sum & 1));
}

[[nodiscard]] constexpr load_type pair_share(pair_rule rule, load_type lower,
                                             load_type higher) noexcept {
  switch (rule) {
    case pair_rule::dem:
      return dem_share(lower, higher);
    case pair_rule::dem_lower:
      return dem_lower_share(lower, higher);
    case pair_rule::oem:
      break;
  }
  return oem_share(lower, higher);
}

/// Returns the lower id of the p-th pair along `dimension`: p with a 0 bit inserted at that
/// position.
[[nodiscard]] constexpr node_id pair_lower(node_id p, unsigned dimension) noexcept {
  const node_id low = (node_id{1} << dimension) - 1;
  return (p & ~low) << 1 | (p & low);
}

/// Carries out one phase on a full cube of loads.size() = 2^d nodes: replaces `loads` with the
/// loads after the exchange along `dimension`. Writes to flows[p] the units that went from the
/// lower to the higher id of pair p (negative for the other direction). flows has loads.size() / 2
/// elements. Throws std::invalid_argument if the sizes or the dimension do not match. Allocates
/// nothing.
EVENCUBE_EXPORT void exchange_dimension(pair_rule rule, std::span<load_type> loads,
                                        unsigned dimension, std::span<load_type> flows);

/// Carries out the phases of all dimensions under DEM, dimension 0 first. The final loads are left
/// in `loads`. The flow of pair p along dimension i is written to flows[i * N/2 + p]; flows has d *
/// N/2 elements. Takes d streaming passes over the loads, O(N log N). Allocates nothing.
EVENCUBE_EXPORT void dem_flows(std::span<load_type> loads, std::span<load_type> flows);
/// Carries out the phases of all dimensions under OEM, like `dem_flows`.
EVENCUBE_EXPORT void oem_flows(std::span<load_type> loads, std::span<load_type> flows);

}  // namespace evencube
