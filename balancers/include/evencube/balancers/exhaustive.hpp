#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <evencube/balancers/exchange.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The largest final difference over ALL integer loads of the cube with `dimensions` dimensions.
///
/// The loads at two positions depend only on the loads at those positions of the two halves, which
/// are independent of each other, and the rules do not change when all loads grow by 2 (OEM) or 1
/// (DEM). So the reachable (difference, parity) states of a pair of positions form a finite set
/// that follows from the set of the halves; the worst case is read off the sets of all pairs.
/// dimensions in [0, 20]; throws std::invalid_argument beyond. Milliseconds.
[[nodiscard]] EVENCUBE_EXPORT load_type worst_difference(pair_rule rule, unsigned dimensions);

/// counts[x] = how many load vectors end with difference x.
using difference_counts = std::array<std::uint64_t, 16>;

/// Rim et al. 2003, Table 1: all non-decreasing load vectors of 2^dimensions nodes with values 0 ..
/// largest, laid out in id order and balanced lowest dimension first. By running through every
/// vector: for small cases and to check sorted_load_table.
[[nodiscard]] EVENCUBE_EXPORT difference_counts count_sorted_loads(pair_rule rule,
                                                                   unsigned dimensions,
                                                                   unsigned largest);

/// The same by memory: the halves are balanced alone and few different results come out, so that
/// only the last phase of every pair of results remains. The work on pairs can be divided: count()
/// of disjoint ranges of rows() may run on different threads and is added up.
class sorted_load_table {
 public:
  /// dimensions in [1, 5], largest in [0, 60]. Enumerates the halves: C(largest + N/2, N/2)
  /// vectors.
  EVENCUBE_EXPORT sorted_load_table(pair_rule rule, unsigned dimensions, unsigned largest);

  [[nodiscard]] std::size_t rows() const noexcept { return left_.size(); }
  /// Counts the vectors whose left half ends in one of the results [first, last). Thread-safe.
  [[nodiscard]] EVENCUBE_EXPORT difference_counts count(std::size_t first, std::size_t last) const;
  [[nodiscard]] difference_counts count() const { return count(0, rows()); }
  /// C(largest + N, N), what all counts sum to.
  [[nodiscard]] EVENCUBE_EXPORT std::uint64_t vectors() const noexcept;

 private:
  static constexpr std::size_t half_nodes = 16;
  struct half_result {
    std::array<std::uint8_t, half_nodes> loads;
    /// Vectors with this result, by their last value (left) or first value and above (right).
    std::vector<std::uint64_t> vectors;
  };

  pair_rule rule_;
  unsigned dimensions_;
  unsigned largest_;
  std::vector<half_result> left_;
  std::vector<half_result> right_;
};

/// Sums up.
EVENCUBE_EXPORT difference_counts& operator+=(difference_counts& to, const difference_counts& more);

}  // namespace evencube
