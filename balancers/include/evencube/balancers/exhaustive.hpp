#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <evencube/balancers/exchange.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Returns the largest final difference over ALL integer load vectors of the cube with `dimensions`
/// dimensions.
///
/// The final loads of two nodes depend only on the loads at their positions in the two halves of
/// the cube, and the halves are independent of each other. The rules do not change when all loads
/// grow by 2 (OEM) or 1 (DEM). So the reachable (difference, parity) states of a pair of nodes form
/// a finite set, which can be derived from the set for the halves. The worst case is the largest
/// difference in the sets of all pairs. `dimensions` must be in [0, 20]; otherwise throws
/// std::invalid_argument. Takes milliseconds.
[[nodiscard]] EVENCUBE_EXPORT load_type worst_difference(pair_rule rule, unsigned dimensions);

/// The number of load vectors for each final difference: counts[x] vectors end with the difference
/// x.
using difference_counts = std::array<std::uint64_t, 16>;

/// Counts the final differences of Rim et al. 2003, Table 1, by balancing every vector. The vectors
/// are all load vectors of 2^dimensions nodes, with values 0 .. largest, that do not decrease in id
/// order; the lowest dimension is balanced first. Meant for small cases and for checking
/// sorted_load_table.
[[nodiscard]] EVENCUBE_EXPORT difference_counts count_sorted_loads(pair_rule rule,
                                                                   unsigned dimensions,
                                                                   unsigned largest);

/// Counts the same final differences as `count_sorted_loads`, faster but with more memory. The two
/// halves of a cube are balanced separately and have few different results, so each pair of results
/// needs only the last phase. Different threads may call count() for disjoint ranges of rows() and
/// add their results.
class sorted_load_table {
 public:
  /// Enumerates the C(largest + N/2, N/2) vectors of the halves. `dimensions` must be in [1, 5] and
  /// `largest` in [0, 60].
  EVENCUBE_EXPORT sorted_load_table(pair_rule rule, unsigned dimensions, unsigned largest);

  /// Returns the number of different results of the left half: the upper bound of count()'s rows.
  [[nodiscard]] std::size_t rows() const noexcept { return left_.size(); }
  /// Counts the vectors whose left half ends in one of the results [first, last). Thread-safe.
  [[nodiscard]] EVENCUBE_EXPORT difference_counts count(std::size_t first, std::size_t last) const;
  /// Counts all vectors by their final difference.
  [[nodiscard]] difference_counts count() const { return count(0, rows()); }
  /// Returns C(largest + N, N), the sum of all counts.
  [[nodiscard]] EVENCUBE_EXPORT std::uint64_t vectors() const noexcept;

 private:
  static constexpr std::size_t half_nodes = 16;
  struct half_result {
    std::array<std::uint8_t, half_nodes> loads;
    /// The number of vectors with this result, for each last value (left) or each least first value
    /// (right).
    std::vector<std::uint64_t> vectors;
  };

  pair_rule rule_;
  unsigned dimensions_;
  unsigned largest_;
  std::vector<half_result> left_;
  std::vector<half_result> right_;
};

/// Adds the counts of `more` to `to` and returns `to`.
EVENCUBE_EXPORT difference_counts& operator+=(difference_counts& to, const difference_counts& more);

}  // namespace evencube
